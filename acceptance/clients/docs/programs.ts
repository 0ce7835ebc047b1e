import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type CommandOptions, outputOf, runCommand } from '@holdfast/testkit/command';

const sdk = resolve(import.meta.dirname, '../../../sdk/typescript/src/index.ts');

/** Programs by their names, which are identifiers. */
export type Programs = Readonly<Record<string, string>>;

/** Runs programs one after another in one process, and returns what each printed. */
export type Runner = (folder: string, programs: Programs, options: CommandOptions) => Promise<Programs>;

/** An interpreter that has the SDK of sdk/python: `npm run test:acceptance -- docs` sets this. */
export const python = process.env['SDK_PYTHON'] ?? 'python3';

const mark = '#### ';

/** The output of a process that prints a mark and a name before it starts each program. */
function outputByName(output: string): Programs {
  const parts = output.split(new RegExp(`^${mark}`, 'm')).slice(1);
  return Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end + 1)];
    }),
  );
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A runner of files that a main program loads; `main` takes their names as arguments. */
function interpreted(ending: string, main: string, command: (main: string) => string[]): Runner {
  return async (folder, programs, options) => {
    for (const [name, text] of Object.entries(programs)) write(join(folder, `${name}${ending}`), text);
    const file = join(folder, `main-of-all${ending}`);
    write(file, main);
    const [program = '', ...args] = command(file);
    const all = [...args, ...Object.keys(programs)];
    const { stdout, stderr } = await runCommand(program, all, { cwd: folder, ...options });
    return { ...outputByName(stdout), '': stderr };
  };
}

const runTypeScriptFiles = interpreted(
  '.mts',
  `for (const name of process.argv.slice(2)) {
  console.log('\\n${mark}' + name);
  await import('./' + name + '.mts').catch((error) => console.log('FAILED', error));
}
`,
  (main) => [process.execPath, '--disable-warning=ExperimentalWarning', main],
);

export const runTypeScript: Runner = (folder, programs, options) => {
  const importing = Object.entries(programs).map(([name, text]) => [
    name,
    text.replace("'@holdfast/sdk'", `'${sdk}'`),
  ]);
  return runTypeScriptFiles(folder, Object.fromEntries(importing) as Programs, options);
};

export const runPython = interpreted(
  '.py',
  `import sys, traceback

for name in sys.argv[1:]:
    print("\\n${mark}" + name)
    try:
        exec(compile(open(name + ".py").read(), name, "exec"), {})
    except Exception:
        print("FAILED", traceback.format_exc())
`,
  (main) => [python, main],
);

export const runShell = interpreted(
  '.sh',
  `for name in "$@"; do
  printf '\\n${mark}%s\\n' "$name"
  bash -e "$name.sh" || echo "FAILED $?"
done
`,
  (main) => ['bash', main],
);

/** One binary of all, because linking takes longest: each program becomes a package whose \`main\` is exported. */
export async function buildGo(folder: string, programs: Programs, env: NodeJS.ProcessEnv): Promise<string> {
  write(join(folder, 'go.mod'), 'module samples\n\ngo 1.19\n');
  for (const [name, text] of Object.entries(programs)) {
    const asPackage = text
      .replace(/^package main$/m, `package ${name}`)
      .replace('func main()', 'func Main()');
    write(join(folder, name, `${name}.go`), asPackage);
  }
  const names = Object.keys(programs);
  const main = `package main

import (
	"fmt"
	"os"
${names.map((name) => `\t"samples/${name}"`).join('\n')}
)

var mains = map[string]func(){
${names.map((name) => `\t"${name}": ${name}.Main,`).join('\n')}
}

func run(name string) {
	fmt.Println("\\n${mark}" + name)
	defer func() {
		if cause := recover(); cause != nil {
			fmt.Println("FAILED", cause)
		}
	}()
	mains[name]()
}

func main() {
	for _, name := range os.Args[1:] {
		run(name)
	}
}
`;
  write(join(folder, 'main.go'), main);
  const options = { cwd: folder, env, timeoutMs: 600_000 };
  await outputOf('go', ['build', '-ldflags=-s -w', '-o', 'all', '.'], options);
  return join(folder, 'all');
}

export const runGo: Runner = async (folder, programs, options) => {
  const binary = await buildGo(folder, programs, options.env);
  return outputByName(await outputOf(binary, Object.keys(programs), { cwd: folder, ...options }));
};
