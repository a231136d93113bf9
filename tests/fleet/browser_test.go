package fleet_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/tests/require"
)

// browser is a Chromium that is driven as the WebDriver standard says (www.w3.org/TR/webdriver2), with
// the standard library alone.
type browser struct {
	t       *testing.T
	session string
}

// openBrowser starts Chromium without network services of its own.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	driver, chromium := require.Tool(t, "chromedriver"), require.Tool(t, "chromium")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	command := exec.Command(driver, fmt.Sprintf("--port=%d", port))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	b := &browser{t: t, session: fmt.Sprintf("http://127.0.0.1:%d/session", port)}
	b.awaitReady(fmt.Sprintf("http://127.0.0.1:%d/status", port))
	var started struct {
		SessionID string `json:"sessionId"`
	}
	b.send(http.MethodPost, "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"browserName":             "chrome",
		"unhandledPromptBehavior": "ignore",
		// developer.chrome.com/docs/chromedriver/logging/performance-log
		"goog:loggingPrefs": map[string]string{"browser": "ALL", "performance": "ALL"},
		"goog:chromeOptions": map[string]any{"binary": chromium, "args": []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1280,1000", "--user-data-dir=" + t.TempDir(),
		}},
	}}}, &started)
	b.session += "/" + started.SessionID
	t.Cleanup(func() { b.send(http.MethodDelete, "", nil, nil) })
	return b
}

// of is the same browser for another test.
func (b *browser) of(t *testing.T) *browser {
	t.Helper()
	return &browser{t: t, session: b.session}
}

func (b *browser) awaitReady(status string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(status)
		if err == nil {
			answer.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("chromedriver does not answer: %v", err)
		}
	}
}

// send does one command of WebDriver and reads its value.
func (b *browser) send(method, path string, body, value any) {
	b.t.Helper()
	if err := b.try(method, path, body, value); err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
}

func (b *browser) try(method, path string, body, value any) error {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(data)
	}
	request, err := http.NewRequest(method, b.session+path, in)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", data[:min(len(data), 800)])
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(data, &struct{ Value any }{value})
}

// open opens a file.
func (b *browser) open(path string) {
	b.t.Helper()
	address := url.URL{Scheme: "file", Path: path}
	b.send(http.MethodPost, "/url", map[string]string{"url": address.String()}, nil)
}

// evaluate runs a script in the page and reads what it returns.
func (b *browser) evaluate(script string, value any, arguments ...any) {
	b.t.Helper()
	if arguments == nil {
		arguments = []any{}
	}
	b.send(http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": arguments}, value)
}

// devtools sends a command of the DevTools protocol (chromedevtools.github.io/devtools-protocol).
func (b *browser) devtools(command string, parameters map[string]any, value any) {
	b.t.Helper()
	b.send(http.MethodPost, "/goog/cdp/execute", map[string]any{"cmd": command, "params": parameters}, value)
}

// resize gives the page a width, as of a telephone or a screen.
func (b *browser) resize(width, height int) {
	b.t.Helper()
	b.devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// scheme asks for light or dark.
func (b *browser) scheme(name string) {
	b.t.Helper()
	b.devtools("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}}}, nil)
}

// keys presses keys one after the other (www.w3.org/TR/webdriver2, section 17.4.2 for the codes).
func (b *browser) keys(keys ...string) {
	b.t.Helper()
	var actions []map[string]string
	for _, key := range keys {
		actions = append(actions, map[string]string{"type": "keyDown", "value": key}, map[string]string{"type": "keyUp", "value": key})
	}
	b.send(http.MethodPost, "/actions", map[string]any{"actions": []map[string]any{{"type": "key", "id": "keyboard", "actions": actions}}}, nil)
}

// log reads what was logged since the last call.
func (b *browser) log(kind string) []string {
	b.t.Helper()
	var entries []struct {
		Level, Message string
	}
	b.send(http.MethodPost, "/se/log", map[string]string{"type": kind}, &entries)
	var messages []string
	for _, entry := range entries {
		messages = append(messages, entry.Message)
	}
	return messages
}

// requests are the addresses that the page asked for since the last call.
func (b *browser) requests() []string {
	b.t.Helper()
	var addresses []string
	for _, message := range b.log("performance") {
		var event struct {
			Message struct {
				Method string
				Params struct {
					DocumentURL string
					Request     struct{ URL string }
				}
			}
		}
		if err := json.Unmarshal([]byte(message), &event); err != nil {
			b.t.Fatal(err)
		}
		// What Chromium shows before is its own page.
		own := strings.HasPrefix(event.Message.Params.DocumentURL, "chrome")
		if event.Message.Method == "Network.requestWillBeSent" && !own {
			addresses = append(addresses, event.Message.Params.Request.URL)
		}
	}
	return addresses
}

// harmless checks what must hold of every page: no error, no request but for itself, no message box.
func (b *browser) harmless(path string) {
	b.t.Helper()
	address := url.URL{Scheme: "file", Path: path}
	asked := b.requests()
	if len(asked) == 0 {
		b.t.Error("not even the page's own request was seen")
	}
	for _, asked := range asked {
		if asked != address.String() {
			b.t.Errorf("the page asked for %s", asked)
		}
	}
	for _, message := range b.log("browser") {
		b.t.Errorf("the console says: %s", message)
	}
	var box string
	if err := b.try(http.MethodGet, "/alert/text", nil, &box); err == nil {
		b.t.Errorf("a message box says %q", box)
	}
}

// fits checks that nothing but what scrolls by itself is wider than the page.
func (b *browser) fits(width int) {
	b.t.Helper()
	b.resize(width, 900)
	var wide []string
	b.evaluate(`var wide = [];
if (document.documentElement.scrollWidth > innerWidth) {
  wide.push("the page: " + document.documentElement.scrollWidth);
  document.querySelectorAll("body *").forEach(function (e) {
    if (!e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 1) { wide.push(e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)); }
  });
}
return wide.slice(0, 10);`, &wide)
	if len(wide) > 0 {
		b.t.Errorf("at %d px too wide: %s", width, strings.Join(wide, "; "))
	}
}

// picture keeps a picture of the whole page in the folder that DISKAUDIT_PICTURES names, for people to
// look at.
func (b *browser) picture(name string, width int) {
	b.t.Helper()
	folder := os.Getenv("DISKAUDIT_PICTURES")
	if folder == "" {
		return
	}
	b.resize(width, 900)
	var height float64
	b.evaluate("return document.documentElement.scrollHeight", &height)
	b.resize(width, int(min(height, 8000)))
	var data string
	b.send(http.MethodGet, "/screenshot", nil, &data)
	b.keep(name+".png", data)
	b.resize(1280, 900)
}

func (b *browser) keep(name, encoded string) {
	b.t.Helper()
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err == nil {
		err = os.WriteFile(filepath.Join(os.Getenv("DISKAUDIT_PICTURES"), name), data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
