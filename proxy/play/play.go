// Package play does again what one end of a recorded conversation did: the agent, for
// any client that comes, or the client, in front of any agent.
package play

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"
	"time"

	"acp-plan-proxy/transport"
)

// Options say how a recording is played.
type Options struct {
	Speed float64 // how much faster than it was recorded; 0: without any delay
	Log   *slog.Logger
}

// ParseSpeed reads a speed: a number that is not negative.
func ParseSpeed(s string) (float64, error) {
	speed, err := strconv.ParseFloat(s, 64)
	if err != nil || !(speed >= 0) || math.IsInf(speed, 0) {
		return 0, fmt.Errorf("%q is not a speed such as 1, 10 or 0", s)
	}
	return speed, nil
}

// openFile opens a recording.
func openFile(path string, v view) (*os.File, *source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	stat, err := file.Stat()
	switch {
	case err != nil:
	case stat.IsDir():
		err = fmt.Errorf("play takes a file, and %s is a folder", path)
	case !stat.Mode().IsRegular():
		err = fmt.Errorf("play takes a file that it can read again and again, which %s is not", path)
	default:
		return file, newSource(file, stat.Size(), v), nil
	}
	file.Close()
	return nil, nil, err
}

// Agent is the agent of the recording at path, on in and out, until in ends. What was
// asked by then is answered, at once.
func Agent(path string, in io.Reader, out io.WriteCloser, o Options) error {
	file, source, err := openFile(path, agentsView)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := open(source)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return serve(newPlayer(r, o.Speed, o.Log), in, out)
}

// serve plays, until in ends.
func serve(p *player, in io.Reader, out io.WriteCloser) error {
	start := time.Now()
	heard, ended := make(chan []byte), make(chan error, 1)
	over := make(chan struct{})
	defer close(over)
	channel := transport.NewChannel(in, out)
	go func() {
		for {
			line, err := channel.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case heard <- append([]byte(nil), line...):
			case <-over:
				return
			}
		}
	}()
	written := make(chan error, 1)
	writing := false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		again := always
		if !writing {
			if again = p.speak(time.Since(start)); p.err != nil {
				return p.err
			}
			if len(p.out) > 0 {
				said := p.out
				p.out, writing = nil, true
				go func() {
					_, err := out.Write(said)
					written <- err
				}()
			} else if p.over() {
				return nil
			}
		}
		if writing || again == always {
			timer.Stop()
		} else {
			timer.Reset(again - time.Since(start))
		}
		listen := heard
		if len(p.out) > mouthful {
			listen = nil // until the client has read what was said
		}
		select {
		case line := <-listen:
			p.hear(line, time.Since(start))
		case err := <-ended:
			if !errors.Is(err, io.EOF) {
				return fmt.Errorf("read from the client: %w", err)
			}
			p.end(time.Since(start))
		case err := <-written:
			if writing = false; err != nil {
				return fmt.Errorf("write to the client: %w", err)
			}
		case <-timer.C:
		}
	}
}
