import { outputOf } from '@holdfast/testkit/command';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { need, type TestContext } from './context.ts';
import { untilHealthy } from './health.ts';

export const instances = { dispatcher: 3, 'webhook-sender': 2, ledger: 2, 'api-gateway': 2 };

async function expectOneLine({ project }: TestContext): Promise<void> {
  const { code, stderr } = await project.attempt('up', '--detach');
  const lines = stderr.split('\n').filter(Boolean);
  if (code === 0 || lines.length !== 1 || !lines[0]?.includes('run deploy/init-env'))
    throw new Error(`exit code ${code}, stderr: ${stderr}`);
}

/** Starts a working stack from a fresh clone. */
export async function startUp(context: TestContext): Promise<void> {
  const { project, environment, signal } = context;
  await context.check('without .env compose says in one line what to run', () => expectOneLine(context));
  await need(context, 'deploy/init-env writes .env', async () => {
    await outputOf('deploy/init-env', [], { cwd: project.folder, env: environment, signal });
  });
  await need(context, 'every image is built', async () => void (await project.compose('build')));
  await need(context, 'docker compose up: every container becomes healthy', async () => {
    await project.compose('up', '--detach', '--no-build');
    await untilHealthy(project, 120);
  });
  await need(context, 'a receiver on this machine is reached from the webhook-sender', () =>
    reachReceiver(context),
  );
}

// A check of its own, because a firewall may block containers from this machine.
async function reachReceiver({ project }: TestContext): Promise<void> {
  const receiver = await startReceiver({ bind: '0.0.0.0', host: 'host.docker.internal' });
  try {
    const program = `await fetch('${receiver.url}', { signal: AbortSignal.timeout(5000) })`;
    const node = ['node', '--input-type=module', '--eval', program];
    await project.compose('exec', '--no-TTY', 'webhook-sender', ...node);
  } finally {
    await receiver.close();
  }
}

/** Runs several instances of every service. */
export async function scale(context: TestContext): Promise<void> {
  await need(context, `it scales: ${JSON.stringify(instances)}`, async () => {
    const scales = Object.entries(instances).flatMap(([name, count]) => ['--scale', `${name}=${count}`]);
    await context.project.compose('up', '--detach', '--no-build', ...scales);
    const containers = await untilHealthy(context.project, 120);
    for (const [name, count] of Object.entries(instances)) {
      const found = containers.filter(({ service }) => service === name).length;
      if (found !== count) throw new Error(`${found} of ${name} run, not ${count}`);
    }
  });
}
