/**
 * Samples of requests and SDK calls, by language: for the API reference, the pages of the models and the console. Imports
 * nothing, because browsers load it too.
 */

/** A request as a sample shows it. `json`: its body as text; `headers`: those beside the key and the content type. */
export type SampleRequest = {
  method: string;
  path: string;
  json: string | null;
  headers?: Readonly<Record<string, string>>;
};

const typescriptStart = `import { Holdfast } from '@holdfast/sdk';

const client = new Holdfast();
`;

/** A program that prints the result of a call of `client`, or each item of it. */
export function typescriptOf(call: string, isIterated = false): string {
  const use = isIterated
    ? `for await (const item of client.${call}) console.log(item);`
    : `console.log(await client.${call});`;
  return `${typescriptStart}${use}\n`;
}

export function pythonOf(call: string, isIterated = false): string {
  const use = isIterated ? `for item in client.${call}:\n    print(item)` : `print(client.${call})`;
  return `from holdfast import Holdfast\n\nclient = Holdfast()\n${use}\n`;
}

/** The same by Go's standard library; there is no SDK for Go. */
export function goOf({ method, path, json, headers = {} }: SampleRequest): string {
  const imports = ['io', 'net/http', 'os', ...(json === null ? [] : ['strings'])];
  const body = json === null ? 'nil' : `strings.NewReader(${goText(json)})`;
  const all = { ...(json !== null && { 'Content-Type': 'application/json' }), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `\n\trequest.Header.Set("${name}", "${value}")`);
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
	url := os.Getenv("HOLDFAST_URL") + "${path}"
	request, err := http.NewRequest("${method.toUpperCase()}", url, ${body})
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("HOLDFAST_API_KEY"))${lines.join('')}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		panic(err)
	}
}
`;
}

/** A raw string where possible. Go reads the escapes of JSON like those of its own strings. */
const goText = (text: string) => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);

/** A command for a shell where HOLDFAST_URL and HOLDFAST_API_KEY are set. */
export function curlOf({ method, path, json, headers = {} }: SampleRequest): string {
  const verb = method.toUpperCase();
  const isImplied = verb === (json === null ? 'GET' : 'POST');
  const all = { ...(json !== null && { 'Content-Type': 'application/json' }), ...headers };
  const parts = [
    `curl "$HOLDFAST_URL${path}"`,
    '-H "Authorization: Bearer $HOLDFAST_API_KEY"',
    ...(isImplied ? [] : [`-X ${verb}`]),
    ...Object.entries(all).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(json === null ? [] : [`-d '${json.replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return `${parts.join(' \\\n  ')}\n`;
}

/** Samples that run a model and print its output, by the names of their languages. */
export function runSamples(model: string, input: unknown): Record<string, string> {
  const call = (words: Words) => `run(${literal(model, words)}, ${literal(input, words)})`;
  const json = JSON.stringify({ model, input });
  const request = { method: 'post', path: '/v1/executions', json, headers: { Prefer: 'wait=30' } };
  return {
    TypeScript: `${typescriptStart}const { output } = await client.${call(typescriptWords)};\nconsole.log(output);\n`,
    Python: pythonOf(`${call(pythonWords)}.output`),
    Go: goOf(request),
    curl: curlOf(request),
  };
}

type Words = {
  constants: ReadonlyMap<unknown, string>;
  text(value: string): string;
  key(name: string): string;
};

const quotedOnce = (value: string) => (/['\\\n\r\t]/.test(value) ? JSON.stringify(value) : `'${value}'`);
const typescriptWords: Words = {
  constants: new Map(),
  text: quotedOnce,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quotedOnce(name)),
};
const pythonWords: Words = {
  constants: new Map<unknown, string>([
    [true, 'True'],
    [false, 'False'],
    [null, 'None'],
  ]),
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
};

/** A JSON value as a language writes it, on several lines if it is long. */
function literal(value: unknown, words: Words, indent = ''): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, words, inner));
    return enclosed(['[', ']'], items, indent);
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const items = entries.map(([name, item]) => `${words.key(name)}: ${literal(item, words, inner)}`);
    return enclosed(words.constants.size === 0 ? ['{ ', ' }'] : ['{', '}'], items, indent);
  }
  if (typeof value === 'string') return words.text(value);
  return words.constants.get(value) ?? JSON.stringify(value);
}

const longestLine = 70;

function enclosed([open, close]: [string, string], items: string[], indent: string): string {
  if (items.length === 0) return `${open}${close}`.replaceAll(' ', '');
  const line = `${open}${items.join(', ')}${close}`;
  if (line.length <= longestLine && !line.includes('\n')) return line;
  return `${open.trim()}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${close.trim()}`;
}
