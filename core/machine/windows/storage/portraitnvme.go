package storage

import (
	"errors"
	"fmt"
	"io/fs"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/nvme"
)

// askNVMe finds what an NVMe disk tells of itself and of its health. Nothing of the kind is sent to
// disks on other buses: what is behind them may not expect it.
func (s *sitting) askNVMe() {
	if s.bus == nil || *s.bus != contract.BusNVMe {
		s.missing("health", "it is read from disks on NVMe only")
		return
	}
	s.askController()
	s.askHealth()
}

// askController takes the controller's own texts, which are whole where the descriptor's are not.
func (s *sitting) askController() {
	data, err := s.askEither(queryIdentify)
	var controller nvme.Controller
	if err == nil {
		controller, err = nvme.DecodeIdentify(data)
	}
	if err != nil {
		s.failed("what its NVMe controller tells of itself", err)
		return
	}
	s.noSecurity = !controller.Security
	s.note(func(p *portrait) {
		if controller.Model != "" {
			p.disk.Model = &controller.Model
		}
		if controller.Firmware != "" {
			p.disk.Firmware = &controller.Firmware
		}
		if s.identify && controller.Serial != "" {
			p.disk.Serial = &controller.Serial
		}
	})
}

// askEither asks without rights, as Windows 10 and later answer, and where that is refused with
// those of a reader.
func (s *sitting) askEither(ask func(Device) ([]byte, error)) ([]byte, error) {
	data, err := ask(s.device)
	if !errors.Is(err, fs.ErrPermission) {
		return data, err
	}
	device, err := s.reader.system.Open(s.path, AccessRead)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	return ask(device)
}

// askHealth takes what the disk says of its own health.
func (s *sitting) askHealth() {
	data, err := s.askEither(queryHealth)
	var health contract.Health
	if err == nil {
		health, err = nvme.DecodeSMART(data)
	}
	switch {
	case err == nil:
		s.note(func(p *portrait) { p.disk.Health = health })
		if health.OK == nil {
			s.missing("whether it is healthy", fmt.Sprintf("its critical warning 0x%02x has bits whose meaning is not known", *health.CriticalWarning))
		}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errUnasked), errors.Is(err, nvme.ErrNotSupported):
		s.failed("health", err)
	default:
		s.problem(withResult(contract.Problem{
			Code: "health-unreadable", Level: contract.LevelWarning, Stage: machine.StageDisks, Target: s.id, Retryable: true,
			Text: fmt.Sprintf("%s did not tell its health: %v. A disk that fails can do this: see the System event log, and make a backup.", s.id, err),
		}, err))
	}
}
