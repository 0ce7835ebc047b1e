import { outputOf } from '@holdfast/testkit/command';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { untilHealthy } from './health.ts';
import { need, type Stage } from './stage.ts';

export const instances = { dispatcher: 3, 'webhook-sender': 2, ledger: 2, 'api-gateway': 2 };

async function expectOneLine({ project }: Stage): Promise<void> {
  const { code, stderr } = await project.attempt('up', '--detach');
  const lines = stderr.split('\n').filter(Boolean);
  if (code === 0 || lines.length !== 1 || !lines[0]?.includes('run deploy/init-env'))
    throw new Error(`exit code ${code}, stderr: ${stderr}`);
}

/** Starts a working stack from a fresh clone. */
export async function startUp(stage: Stage): Promise<void> {
  const { project, environment, signal } = stage;
  await stage.check('without .env compose says in one line what to run', () => expectOneLine(stage));
  await need(stage, 'deploy/init-env writes .env', async () => {
    await outputOf('deploy/init-env', [], { cwd: project.folder, env: environment, signal });
  });
  await need(stage, 'every image is built', async () => void (await project.compose('build')));
  await need(stage, 'docker compose up: every container becomes healthy', async () => {
    await project.compose('up', '--detach', '--no-build');
    await untilHealthy(project, 120);
  });
  await need(stage, 'a receiver on this machine is reached from the webhook-sender', () =>
    reachReceiver(stage),
  );
}

// A check of its own, because a firewall may block containers from this machine.
async function reachReceiver({ project }: Stage): Promise<void> {
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
export async function scale(stage: Stage): Promise<void> {
  await need(stage, `it scales: ${JSON.stringify(instances)}`, async () => {
    const scales = Object.entries(instances).flatMap(([name, count]) => ['--scale', `${name}=${count}`]);
    await stage.project.compose('up', '--detach', '--no-build', ...scales);
    const containers = await untilHealthy(stage.project, 120);
    for (const [name, count] of Object.entries(instances)) {
      const found = containers.filter(({ service }) => service === name).length;
      if (found !== count) throw new Error(`${found} of ${name} run, not ${count}`);
    }
  });
}
