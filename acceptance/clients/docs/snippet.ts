import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import type { Language } from './languages.ts';

export type Delivery = { headers: Record<string, string>; body: Buffer };

/** A receiver that runs a snippet: `receive` returns its response status to a delivery. */
export type Snippet = { receive(delivery: Delivery): Promise<number>; end(): Promise<void> };

/** Saves a snippet and starts it as a receiver of deliveries that are signed with `secret`. */
export async function startSnippet(language: Language, text: string, secret: string): Promise<Snippet> {
  const cwd = testFolder(`snippet-${language.fence}`);
  writeFileSync(join(cwd, language.file), text);
  const { NODE_OPTIONS: _options, ...own } = process.env;
  const env = { ...own, WEBHOOK_SECRET: secret, PORT: String(await servicePort()) };
  const [builder, ...args] = language.build ?? [];
  if (builder) await outputOf(builder, args, { cwd, env });
  return language.kind === 'cgi' ? cgi(language, cwd, env) : await server(language, cwd, env);
}

type Environment = NodeJS.ProcessEnv & { PORT: string };

async function server({ name, command }: Language, cwd: string, env: Environment): Promise<Snippet> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: 'ignore' });
  await until(`the receiver in ${name} listens`, () => accepts(Number(env.PORT)), 30_000);
  return {
    async receive({ headers, body }) {
      const reply = await fetch(`http://127.0.0.1:${env.PORT}/hooks`, { method: 'POST', headers, body });
      return reply.status;
    },
    async end() {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function cgi({ command }: Language, cwd: string, env: Environment): Snippet {
  return {
    async receive({ headers, body }) {
      const named = Object.entries(headers).map(([name, value]) => [variableOf(name), value]);
      const output = await outputWithInput(
        command,
        { cwd, env: { ...env, ...Object.fromEntries(named) } },
        body,
      );
      return Number(/^Status: (\d{3})/m.exec(output)?.[1]);
    },
    end: async () => {},
  };
}

const variableOf = (header: string) => `HTTP_${header.toUpperCase().replaceAll('-', '_')}`;

async function outputWithInput(
  [program = '', ...args]: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  input: Buffer,
): Promise<string> {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(input);
  const closed = once(child, 'close');
  const said = await child.stdout.setEncoding('utf8').toArray();
  await closed;
  return said.join('');
}
