import { spawnSync } from 'node:child_process';

/** How to run a snippet of docs/webhooks/verify.md. */
export type Language = {
  name: string;
  /** The language of the fenced block. */
  fence: string;
  /** The file name of the snippet. */
  file: string;
  /** The functions that check `webhook-signature` and `X-Signature`. */
  checks: { standard: string; x: string };
  /** A server on PORT, or a CGI program that takes one request and prints its status. */
  kind: 'server' | 'cgi';
  /** Compiles the file, for languages that need it. */
  build?: string[];
  command: string[];
  /** Exits with 0 if the language is installed. */
  probe: string[];
};

const camel = { standard: 'hasWebhookSignature', x: 'hasXSignature' };
const snake = { standard: 'has_webhook_signature', x: 'has_x_signature' };

// Replaces rackup, with a request from the environment.
const runRack =
  'def run(app) = puts("Status: #{app.call(ENV.to_h.merge("rack.input" => $stdin)).first}"); load "./config.ru"';

export const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    fence: 'ts',
    file: 'hook.mts',
    checks: camel,
    kind: 'server',
    command: [process.execPath, '--disable-warning=ExperimentalWarning', 'hook.mts'],
    probe: [process.execPath, '--version'],
  },
  {
    name: 'Python',
    fence: 'python',
    file: 'hook.py',
    checks: snake,
    kind: 'server',
    command: ['python3', 'hook.py'],
    probe: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'],
  },
  {
    name: 'Go',
    fence: 'go',
    file: 'hook.go',
    checks: camel,
    kind: 'server',
    build: ['go', 'build', '-o', 'hook', 'hook.go'],
    command: ['./hook'],
    probe: ['go', 'version'],
  },
  {
    name: 'Ruby',
    fence: 'ruby',
    file: 'config.ru',
    checks: { standard: 'webhook_signature?', x: 'x_signature?' },
    kind: 'cgi',
    command: ['ruby', '-e', runRack],
    probe: ['ruby', '-ropenssl', '-e', 'exit RUBY_VERSION >= "3"'],
  },
  {
    name: 'PHP',
    fence: 'php',
    file: 'hook.php',
    checks: snake,
    kind: 'server',
    command: ['sh', '-c', 'exec php -S "127.0.0.1:$PORT" hook.php'],
    probe: ['php', '-r', 'exit(PHP_VERSION_ID < 80000 ? 1 : 0);'],
  },
  {
    name: 'Java',
    fence: 'java',
    file: 'Hook.java',
    checks: camel,
    kind: 'server',
    build: ['javac', 'Hook.java'],
    command: ['java', '-cp', '.', 'Hook'],
    probe: ['javac', '--release', '17', '-version'],
  },
  {
    name: 'Shell',
    fence: 'bash',
    file: 'hook.sh',
    checks: snake,
    kind: 'cgi',
    command: ['bash', 'hook.sh'],
    probe: ['bash', '-c', 'openssl version && od --version'],
  },
];

export function isOnThisMachine({ probe: [command = '', ...args] }: Language): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
}
