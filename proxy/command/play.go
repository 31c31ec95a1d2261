package command

import (
	"errors"
	"fmt"
	"os"

	"acp-plan-proxy/proxy/files"
	"acp-plan-proxy/proxy/play"
)

func (o *options) checkPlay() error {
	dash := o.flags.ArgsLenAtDash()
	switch {
	case o.flags.NArg() == 0 || dash == 0:
		return errors.New("play takes a recording")
	case o.flags.Arg(0) == "":
		return errors.New("play needs a file; its name is empty")
	case o.flags.Arg(0) == "-":
		return errors.New("play takes a file: standard input is the client's")
	case o.flags.NArg() > 1 && dash != 1:
		return fmt.Errorf("play takes one file, its flags before it, and -- before an agent: %q", o.flags.Arg(1))
	case dash == 1 && o.flags.Arg(1) == "":
		return errors.New("no agent given")
	}
	return nil
}

func (o *options) playReads() ([]files.File, error) {
	return append(readsStdin(), files.At(o.flags.Arg(0))), nil
}

func (o *options) runPlay() (int, error) {
	return failed(play.Agent(o.flags.Arg(0), os.Stdin, os.Stdout, play.Options{Speed: o.speed, Log: o.log.Logger}))
}
