// node judge.mjs: judges objects by the schemas of the latest TypeScript SDK. Each line of
// its input is {"schema", "value"}; each that no version allows, it prints with the reasons.
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const versions = ["v1", "v2"].map((version) =>
  import(pathToFileURL(join(process.env.INTEROP_PACKAGES, "node_modules/sdk-2-4-0/dist", version, "schema/zod.gen.js"))),
);
for await (const line of createInterface({ input: process.stdin })) {
  const { schema, value } = JSON.parse(line);
  const results = (await Promise.all(versions)).map((schemas) => schemas[schema].safeParse(value));
  if (!results.some((result) => result.success)) console.log(line, results.map((result) => result.error.message).join("; "));
}
