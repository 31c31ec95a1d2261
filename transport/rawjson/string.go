package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// plainEnd returns the index of the first special byte of a string's content from i on, or len(text).
// A quote, a backslash and a control character are special. plainEnd reads several bytes at a time,
// because most of a message is the content of strings.
func plainEnd(text []byte, i int) int {
	for ; i+16 <= len(text); i += 16 {
		b := text[i : i+16 : i+16]
		if found := special(binary.LittleEndian.Uint64(b)); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		if found := special(binary.LittleEndian.Uint64(b[8:])); found != 0 {
			return i + 8 + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(text); i++ {
		if b := text[i]; b < 0x20 || b == '"' || b == '\\' {
			return i
		}
	}
	return i
}

// special finds the first special byte among eight. The lowest bit set in the result is the high bit
// of that byte. The result is 0 if no byte is special.
func special(w uint64) uint64 {
	const (
		ones    = 0x0101010101010101
		highs   = 0x80 * ones
		quotes  = '"' * ones
		slashes = '\\' * ones
		spaces  = 0x20 * ones
	)
	q, s := w^quotes, w^slashes
	// The high bit of a byte below 0x80 is set where w is below 0x20, q is 0 or s is 0.
	// A borrow can set it wrongly in a later byte, never in an earlier one.
	return ((w - spaces) | (q - ones) | (s - ones)) &^ w & highs
}

// StringEnd returns the index behind the string whose opening quote is text[i-1]. If the
// string is invalid or has no end, it returns false and the index of the error.
func StringEnd(text []byte, i int) (end int, ok bool) {
	for {
		if i = plainEnd(text, i); i >= len(text) {
			return i, false
		}
		switch text[i] {
		case '"':
			return i + 1, true
		case '\\':
			if i+1 < len(text) && shortEscapes[text[i+1]] != 0 {
				i += 2
				continue
			}
			n := escapeLen(text[i:])
			if n == 0 {
				return i, false
			}
			i += n
		default:
			return i, false
		}
	}
}

// checkedEnd is StringEnd for a valid string. It searches only for a quote that is not
// escaped.
func checkedEnd(text []byte, start int) (end int, ok bool) {
	for i := start; ; i++ {
		quote := bytes.IndexByte(text[i:], '"')
		if quote < 0 {
			return len(text), false
		}
		i += quote
		slashes := i
		for slashes > start && text[slashes-1] == '\\' {
			slashes--
		}
		if (i-slashes)%2 == 0 {
			return i + 1, true
		}
	}
}

// escapeLen returns the length of the escape sequence at the beginning of s, or 0.
func escapeLen(s []byte) int {
	if len(s) > 1 && shortEscapes[s[1]] != 0 {
		return 2
	}
	if len(s) > 1 && s[1] == 'u' {
		if _, ok := hex4(s[2:]); ok {
			return 6
		}
	}
	return 0
}

// shortEscapes maps the byte behind a backslash to its meaning.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, b := range s[:4] {
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b|0x20 && b|0x20 <= 'f':
			b = b | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}

// Unquote returns the content of a raw string. It shares memory with raw unless there are
// escapes. Lone surrogates become U+FFFD. Invalid UTF-8 and invalid escapes are copied.
func Unquote(raw []byte) []byte {
	s := raw[1 : len(raw)-1]
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	return appendUnescaped(make([]byte, 0, len(s)), s)
}

// AppendUnquoted appends the content of a raw string, see [Unquote].
func AppendUnquoted(dst, raw []byte) []byte { return appendUnescaped(dst, raw[1:len(raw)-1]) }

func appendUnescaped(out, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(out, s...)
		}
		out = append(out, s[:i]...)
		s = s[i:]
		n := escapeLen(s)
		switch {
		case n == 0:
			out = append(out, '\\')
			n = 1
		case n == 2:
			out = append(out, shortEscapes[s[1]])
		default:
			r, _ := hex4(s[2:])
			if utf16.IsSurrogate(r) {
				low := rune(utf8.RuneError)
				if rest := s[6:]; len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
					low, _ = hex4(rest[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					n += 6
				}
			}
			out = utf8.AppendRune(out, r)
		}
		s = s[n:]
	}
}

// AppendQuoted appends s as a JSON string with the fewest escapes. Invalid UTF-8 becomes
// U+FFFD.
func AppendQuoted[S []byte | string](dst []byte, s S) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// AppendEscaped is AppendQuoted without the quotes.
func AppendEscaped[S []byte | string](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	const short = 32
	if len(s) <= short && isPlain(s) {
		return append(dst, s...)
	}
	text := []byte(s)
	for start := 0; start < len(text); {
		end := plainEnd(text, start)
		dst = appendValid(dst, text[start:end])
		if end == len(text) {
			break
		}
		switch b := text[end]; b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		}
		start = end + 1
	}
	return dst
}

// isPlain reports whether s is ASCII without special bytes, as most names are.
func isPlain[S []byte | string](s S) bool {
	for i := range len(s) {
		if b := s[i]; b < 0x20 || b >= 0x7f || b == '"' || b == '\\' {
			return false
		}
	}
	return true
}

// appendValid appends text, with U+FFFD for invalid UTF-8.
func appendValid(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return append(dst, text...)
	}
	for _, r := range string(text) {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
