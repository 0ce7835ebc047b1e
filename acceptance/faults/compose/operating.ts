import type { TestContext } from './context.ts';

type Doctor = { findings: { state: string; check: string; found: string }[] };

/** Checks `holdfast doctor`, the pages in the gateway's image, and the proxy's access log and its limit for callbacks. */
export async function operate(context: TestContext): Promise<void> {
  const { project, check } = context;
  await check('holdfast doctor finds no error or warning, and builds no image', async () => {
    const { stdout, stderr } = await project.attempt(
      'run',
      '--rm',
      '--no-TTY',
      'holdfast',
      'doctor',
      '--json',
    );
    const { findings } = JSON.parse(stdout) as Doctor;
    const bad = findings.filter(({ state }) => state === 'error' || state === 'warning');
    if (bad.length > 0) throw new Error(JSON.stringify(bad));
    if (/build/i.test(stderr)) throw new Error(`it built an image: ${stderr}`);
  });
  const { baseUrl, adminUrl } = context.settings;
  await check(
    "the gateway's image has the documentation, the portal and the console, with their scripts",
    async () => {
      const pages = [
        `${baseUrl}/docs/`,
        `${baseUrl}/docs/reference`,
        `${baseUrl}/console/`,
        `${adminUrl}/console/`,
      ];
      for (const page of pages) await expectPage(page);
    },
  );
  await check('the access log of the proxy shows requests, but no signature or key', async () => {
    const log = await project.compose('logs', '--no-color', '--no-log-prefix', 'proxy');
    const lines = log.split('\n').filter((line) => line.includes('{'));
    const requests = lines.map(
      (line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>,
    );
    const isCreate = (one: Record<string, unknown>) =>
      one['path'] === '/v1/executions' && one['method'] === 'POST' && one['status'] === 202;
    if (!requests.some(isCreate)) throw new Error(`no create in ${requests.length} lines`);
    const leak = lines.find((line) => /Signature|Bearer|sk_[0-9a-f]|\?/.test(line));
    if (leak !== undefined) throw new Error(leak);
  });
  await check('the proxy passes a callback of 12 MiB to a gateway, which refuses its token', async () => {
    const url = `${context.settings.baseUrl}/v1/callbacks/sandbox/unknown`;
    const { status } = await fetch(url, { method: 'POST', body: Buffer.alloc(12 * 1024 * 1024) });
    if (status !== 404) throw new Error(`the status is ${status}`);
  });
}

async function expectPage(url: string): Promise<void> {
  const page = await fetch(url);
  const text = await page.text();
  const script = /<script[^>]* src="([^"]+)"/.exec(text)?.[1];
  if (page.status !== 200 || script === undefined)
    throw new Error(`${url} returned ${page.status}: ${text.slice(0, 200)}`);
  const { status, headers } = await fetch(new URL(script, page.url));
  if (status !== 200 || !headers.get('content-type')?.includes('javascript'))
    throw new Error(`${script} of ${url} returned ${status}, ${headers.get('content-type')}`);
}
