package v1agent

import "testing"

const (
	modes      = `"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask","description":"d"},{"id":"code","name":"Code"}]}`
	models     = `"models":{"currentModelId":"m1","availableModels":[{"modelId":"m1","name":"M1"}]}`
	modeOption = `{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},` +
		`{"value":"code","name":"Code"}]}`

	modeAsk = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask",` +
		`"description":"d"},{"value":"code","name":"Code"}]}`
	modeCode = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask",` +
		`"description":"d"},{"value":"code","name":"Code"}]}`
	modelM1  = `{"configId":"model","name":"Model","category":"model","type":"select","currentValue":"m1","options":[{"value":"m1","name":"M1"}]}`
	realMode = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},` +
		`{"value":"code","name":"Code"}]}`
	realCode = `{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},` +
		`{"value":"code","name":"Code"}]}`
	noValue   = `{"code":-32602,"message":"Invalid params: no value that the option can have"}`
	noOption  = `{"code":-32602,"message":"Invalid params: no such option"}`
	newParams = `{"cwd":"/p"}`
)

// offered is a session with these offers of the agent, and the client's result.
func offered(result, options string) []step {
	return []step{
		client(`1 session/new `+newParams, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
		agent(`1 = {"sessionId":"s",`+result+`}`, toC(`1 = {"sessionId":"s","configOptions":[`+options+`]}`)),
	}
}

func told(options string) string {
	return toC(report("config_option_update", `"configOptions":[`+options+`]`))
}

func TestOptions(t *testing.T) {
	set := func(id, config, value string) string {
		return id + ` session/set_config_option {"sessionId":"s","configId":"` + config + `",` + value + `}`
	}
	runCases(t, []testCase{
		{"modes and models become options", nil, offered(modes+","+models, modeAsk+","+modelM1)},
		{"unless the agent has them as options", nil, offered(`"configOptions":[`+modeOption+`],`+modes+","+models, realMode+","+modelM1)},
		{"an id that is taken gets an underscore", nil, offered(
			`"configOptions":[{"id":"model","name":"M","type":"boolean","currentValue":true}],`+models,
			`{"configId":"model","name":"M","type":"boolean","currentValue":true},`+`{"configId":"_model","name":"Model","category":"model","type":"select",`+
				`"currentValue":"m1","options":[{"value":"m1","name":"M1"}]}`)},
		{"options are said in version 2, and those without values left out", nil, []step{
			client(`1 session/new `+newParams, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"configOptions":[{"id":"a","name":"A","type":"select","currentValue":"x","options":[{"group":"g","name":"G","options":[{"value":"x",`+
				`"name":"X"}]},{"group":"h","name":"H","options":[]}],"_meta":{}},`+
				`{"id":"b","name":"B","type":"select","currentValue":"x","options":[]},`+
				`{"id":"c","name":"C","type":"boolean","currentValue":false}],"sessionId":"s"}`,
				toC(`1 = {"sessionId":"s","configOptions":[{"configId":"a","name":"A","type":"select","currentValue":"x","options":[{"groupId":"g",`+
					`"name":"G","options":[{"value":"x","name":"X"}]}],"_meta":{}},{"configId":"c","name":"C","type":"boolean","currentValue":false}]}`)).
				Losing("unreadable option"),
		}},
		{"a current mode that is not among them is added", nil, offered(`"modes":{"currentModeId":"x","availableModes":[{"id":"ask","name":"Ask"}]}`,
			`{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"x","options":[{"value":"ask","name":"Ask"},`+
				`{"value":"x","name":"x"}]}`)},
		{"no modes are no option", nil, offered(`"modes":{"currentModeId":"x","availableModes":[]}`, "")},
		{"a mode is set as one", nil, then(offered(modes, modeAsk),
			client(set("2", "mode", `"type":"id","value":"code"`), toA(`2 session/set_mode {"sessionId":"s","modeId":"code"}`)),
			agent(`2 = null`, told(modeCode), toC(`2 = {"configOptions":[`+modeCode+`]}`)),
			agent(report("current_mode_update", `"currentModeId":"code"`)),
			agent(report("current_mode_update", `"currentModeId":"ask"`), told(modeAsk)),
		)},
		{"an agent that reports a mode that was set needs no second report", nil, then(offered(modes, modeAsk),
			client(set("2", "mode", `"type":"id","value":"code"`), toA(`2 session/set_mode {"sessionId":"s","modeId":"code"}`)),
			agent(report("current_mode_update", `"currentModeId":"code"`), told(modeCode)),
			agent(`2 = {}`, toC(`2 = {"configOptions":[`+modeCode+`]}`)),
		)},
		{"a model is set as one, and an error passes", nil, then(offered(models, modelM1),
			client(set("2", "model", `"type":"id","value":"m1"`), toA(`2 session/set_model {"sessionId":"s","modelId":"m1"}`)),
			agent(`2 ! {"code":-32603,"message":"no"}`, toC(`2 ! {"code":-32603,"message":"no"}`)),
			client(set("3", "model", `"type":"id","value":"m2"`), toC(`3 ! `+noValue)),
			client(set("3", "model", `"type":"boolean","value":true`), toC(`3 ! `+noValue)),
			client(set("3", "model", `"value":"m1"`), toC(`3 ! `+noValue)),
		)},
		{"an option that was not offered is refused", nil, then(offered(models, modelM1),
			client(set("3", "other", `"type":"id","value":"x"`), toC(`3 ! `+noOption)),
			client(set("3", "mode", `"type":"id","value":"x"`), toC(`3 ! `+noOption)),
		)},
		{"also if none was offered", nil, then(offered(`"configOptions":[]`, ""),
			client(set("3", "other", `"type":"boolean","value":true`), toC(`3 ! `+noOption)),
		)},
		{"an option that is offered no longer is refused", nil, then(offered(`"configOptions":[`+modeOption+`]`, realMode),
			agent(report("config_option_update", `"configOptions":[]`), told("")),
			client(set("3", "mode", `"type":"id","value":"ask"`), toC(`3 ! `+noOption)),
			agent(report("config_option_update", `"configOptions":[`+modeOption+`]`), told(realMode)),
			client(set("3", "mode", `"type":"id","value":"new"`), toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"new"}`)),
		)},
		{"where the agent has not said what there is, it decides", nil, then(made,
			client(set("3", "other", `"type":"id","value":"x"`), toA(`2 session/set_config_option {"sessionId":"s","configId":"other","value":"x"}`)),
			agent(`2 ! {"code":-32601,"message":"Method not found"}`, toC(`3 ! {"code":-32601,"message":"Method not found"}`)),
		)},
		{"an option is set as one, and a change is reported too", nil, then(offered(`"configOptions":[`+modeOption+`]`, realMode),
			client(set("2", "mode", `"type":"id","value":"code"`), toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"code"}`)),
			agent(`2 = {"configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"ask",`+
				`"name":"Ask"},{"value":"code","name":"Code"}]}]}`,
				told(realCode), toC(`2 = {"configOptions":[`+realCode+`]}`)),
			agent(report("current_mode_update", `"currentModeId":"code"`)),
			agent(report("current_mode_update", `"currentModeId":"ask"`), told(realMode)),
		)},
		{"unless the agent has just reported it", nil, then(offered(`"configOptions":[`+modeOption+`]`, realMode),
			client(set("2", "mode", `"type":"id","value":"ask"`), toA(`2 session/set_config_option {"sessionId":"s","configId":"mode","value":"ask"}`)),
			agent(report("config_option_update", `"configOptions":[`+modeOption+`]`), told(realMode)),
			agent(`2 = {"configOptions":[`+modeOption+`],"_meta":{}}`, toC(`2 = {"_meta":{},"configOptions":[`+realMode+`]}`)),
		)},
		{"a boolean keeps its type", nil,
			then(offered(`"configOptions":[{"id":"b","name":"B","type":"boolean","currentValue":true}]`,
				`{"configId":"b","name":"B","type":"boolean","currentValue":true}`),
				client(set("2", "b", `"type":"boolean","value":false`), toA(set("2", "b", `"type":"boolean","value":false`))),
				client(set("3", "b", `"type":"id","value":"x"`), toC(`3 ! `+noValue)),
			)},
		{"modes give way to an option that comes later", nil, then(offered(modes, modeAsk),
			agent(report("config_option_update", `"configOptions":[`+modeOption+`]`), told(realMode)),
			agent(report("config_option_update", `"configOptions":null`), told(modeAsk)),
		)},
		{"modes and models without an id of their own are left out", nil, []step{
			client(`1 session/new `+newParams, toA(`1 session/new {"cwd":"/p","mcpServers":[]}`)),
			agent(`1 = {"sessionId":"s","modes":{"currentModeId":5,"availableModes":[{"name":"no id"},{"id":"a","_meta":{"k":1}},{"id":"a","name":"again"},`+
				`{"id":"b","name":5,"description":5,"_meta":5}]}}`,
				toC(`1 = {"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"a",`+
					`"options":[{"value":"a","name":"a","_meta":{"k":1}},{"value":"b","name":"b"}]}]}`)).
				Losing("unreadable option", "unreadable option"),
		}},
		{"a mode that the agent does not offer", nil, then(made,
			agent(report("current_mode_update", `"currentModeId":"x"`)).Losing("mode of a session"),
			agent(report("current_mode_update", `"currentModeId":5`)).Losing("unreadable update"),
		)},
		{"a mode that is new is added, and one that is current already is nothing new", nil, then(offered(modes, modeAsk),
			agent(report("current_mode_update", `"currentModeId":"ask"`)),
			agent(report("current_mode_update", `"currentModeId":"new"`),
				toC(report("config_option_update",
					`"configOptions":[{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"new","options":[{"value":"ask",`+
						`"name":"Ask","description":"d"},{"value":"code","name":"Code"},{"value":"new","name":"new"}]}]`))),
			client(set("2", "mode", `"type":"id","value":"new"`),
				toA(`2 session/set_mode {"sessionId":"s","modeId":"new"}`)),
			agent(`2 = {}`,
				toC(`2 = {"configOptions":[{"configId":"mode","name":"Mode","category":"mode","type":"select","currentValue":"new","options":[{"value":"ask",`+
					`"name":"Ask","description":"d"},{"value":"code","name":"Code"},{"value":"new","name":"new"}]}]}`)),
			client(set("3", "mode", `"type":"id","value":"ask"`),
				toA(`3 session/set_mode {"sessionId":"s","modeId":"ask"}`)),
			agent(`3 ! {"code":1,"message":"m"}`,
				toC(`3 ! {"code":1,"message":"m"}`)),
		)},
	})
}
