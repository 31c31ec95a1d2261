package view

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var picture = flag.String("picture", "", "take the README's picture of the page and write it to this PNG file")

// TestPicture takes the README's picture of the page: a written plan of an agent, and
// the list that a client shows which knows nothing else. Without -picture nobody keeps
// it.
func TestPicture(t *testing.T) {
	file := *picture
	if file == "" {
		file = filepath.Join(t.TempDir(), "view.png")
	}
	b := newBrowser(t, 1280, 760)
	send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}},
	})
	b.open(serve(t, "testdata/demo.jsonl") + "#14")
	b.await(chosen + ` === "#14" && document.querySelector(".row .mark")`)
	b.press("j") // what comes behind it is in sight too
	b.press("k")
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	small, err := fewColors(shot)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, small, 0o644); err != nil {
		t.Fatal(err)
	}
	const most = 150_000 // the picture is part of the repository
	config, err := png.DecodeConfig(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	colors, _ := config.ColorModel.(color.Palette)
	if len(small) > most || config.Width != 1280 || config.Height != 760 || len(colors) < 32 {
		t.Errorf("a picture of %d bytes, %d by %d, with %d colours", len(small), config.Width, config.Height, len(colors))
	}
}

// fewColors returns a PNG with the colours that it has most of, so that it is
// small. That is everything except the edges of letters.
func fewColors(shot []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	count := make(map[color.Color]int)
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			count[img.At(x, y)]++
		}
	}
	colors := color.Palette(slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int {
		return cmp.Or(count[b]-count[a], strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	}))
	few := image.NewPaletted(img.Bounds(), colors[:min(len(colors), 64)])
	draw.Draw(few, few.Bounds(), img, image.Point{}, draw.Src)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few)
	return out.Bytes(), err
}
