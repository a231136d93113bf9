package package_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"diskaudit/tests/require"
)

// password is one that a command line would damage.
const password = `p "w$1' %2`

// certificates makes self-signed certificates with their keys in a folder: good, expired and server,
// each as .pem and .pfx, and text.pfx, which is none.
func certificates(t *testing.T) string {
	t.Helper()
	openssl := require.Tool(t, "openssl")
	folder := t.TempDir()
	for name, make := range map[string]x509.Certificate{
		"good":    {ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}, NotAfter: time.Now().Add(time.Hour)},
		"expired": {ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}, NotAfter: time.Now().Add(-time.Hour)},
		"server":  {ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, NotAfter: time.Now().Add(time.Hour)},
	} {
		make.SerialNumber = big.NewInt(time.Now().UnixNano())
		make.Subject = pkix.Name{CommonName: "A test of signing (" + name + ")"}
		make.NotBefore = time.Now().Add(-24 * time.Hour)
		make.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign
		make.BasicConstraintsValid, make.IsCA = true, true
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.CreateCertificate(rand.Reader, &make, &make, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		certificate := filepath.Join(folder, name+".pem")
		write(t, certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
		keyFile := filepath.Join(folder, name+".key")
		write(t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
		cmd := exec.Command(openssl, "pkcs12", "-export", "-in", certificate, "-inkey", keyFile, "-out", filepath.Join(folder, name+".pfx"), "-passout", "env:PASSWORD")
		cmd.Env = append(os.Environ(), "PASSWORD="+password)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("openssl: %v\n%s", err, out)
		}
	}
	write(t, filepath.Join(folder, "text.pfx"), []byte("not a certificate"))
	return folder
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
