package flat

import (
	"math"
	"reflect"
	"strings"
	"time"

	"diskaudit/core/contract"
)

// hostileTexts are what a label, a model or a path can be made to hold.
var hostileTexts = []string{
	"", " ", "\x00", "a\x00b", "line\nfeed", "carriage\rreturn\r\n", "\ttab", `quote " and \ backslash`, `","state":"not-encrypted`,
	"=1+1", "+1", "-1", "@SUM(A1)", "\t=1+1", "\r=1", " =1+1", "=cmd|' /C calc'!A0", "\uff1d1+1", "-2+3+cmd|' /C calc'!A0", "'=1",
	"<script>alert(1)</script>", "javascript:alert(1)", "a,b;c|d", "\u202egnp.exe", "\u2066\u2069", "\u2028\u2029", "\ufeffbom", "\U0001F4BE",
	"caf\u00e9 \u4e2d\u6587 \u0645\u0631\u062d\u0628\u0627", "\xff\xfe not UTF-8", "null", "true", "123", "1e400", "NaN", strings.Repeat("x", 100_000),
	strings.Repeat(`"`, 100_000), strings.Repeat("\u4e2d", 100_000), strings.Repeat("\U0001F4BE", 100_000), strings.Repeat("\x01", 100_000), strings.Repeat("e\u0301\u0301", 9_000),
}

// hostileNumbers are numbers that no machine has.
var hostileNumbers = []float64{0, -1, -0.5, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1e21, 123456789012345678}

// fill sets every field below value, with texts and numbers that begin with those at n.
func fill(value reflect.Value, n *int) {
	*n++
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), n)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 3, 3))
		for i := range value.Len() {
			fill(value.Index(i), n)
		}
	case reflect.Struct:
		if value.Type() == reflect.TypeFor[time.Time]() {
			value.Set(reflect.ValueOf(time.Date(*n%20000-500, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))))
			return
		}
		for i := range value.NumField() {
			fill(value.Field(i), n)
		}
	case reflect.String:
		value.SetString(hostileTexts[*n%len(hostileTexts)])
	case reflect.Float64:
		value.SetFloat(hostileNumbers[*n%len(hostileNumbers)])
	case reflect.Uint64:
		value.SetUint([]uint64{0, 1, math.MaxUint64, math.MaxInt64, math.MaxInt64 + 1}[*n%5])
	case reflect.Int64:
		value.SetInt(int64(*n%9 - 1))
	case reflect.Bool:
		value.SetBool(*n%2 == 0)
	}
}

// hostileStatus and hostileBench are documents of nothing but hostile values; another seed turns them.
func hostileStatus(seed int) contract.Status {
	var s contract.Status
	fill(reflect.ValueOf(&s).Elem(), &seed)
	return s
}

func hostileBench(seed int) contract.Bench {
	var b contract.Bench
	fill(reflect.ValueOf(&b).Elem(), &seed)
	return b
}
