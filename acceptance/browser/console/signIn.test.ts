import { createServer } from 'node:http';
import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { untilText, violations } from '../pages.ts';
import { admin, ann, runExecution, val } from './operator.ts';
import { expect, open, test } from './world.ts';

async function signInAs(page: Page, account: string): Promise<void> {
  await open(page, '/');
  await page.getByRole('button', { name: 'Sign in with Company login' }).click();
  await page.getByRole('button', { name: account }).click();
}

test.describe('signing in', () => {
  test('works once with a link, whose token leaves the address at once', async ({
    page,
    context,
    state,
    browser,
  }) => {
    const { admin_url: url } = state;
    const response = await fetch(`${url}/admin/v1/sign-in-links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ann}` },
    });
    const { token } = (await response.json()) as { token: string };
    await open(page, `/#sign-in=${token}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${url}/console/`);
    const cookies = await context.cookies();
    expect(cookies).toMatchObject([{ name: 'holdfast_session', httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    // The overview reads by itself, and would find the end before a click that Playwright makes.
    await page.evaluate(
      `(async (link) => {
        await fetch('/admin/v1/session', { method: 'DELETE', headers: { 'X-Holdfast-Console': '1' } });
        link.click();
      })(document.querySelector('a[href="/console/models"]'))`,
    );
    await page.getByLabel('Admin token').waitFor();
    expect(await page.getByText('The link was used before').count()).toBe(0);
    const again = await (await browser.newContext()).newPage();
    await open(again, `/#sign-in=${token}`);
    await untilText(again, 'The link was used before or has expired');
  });

  test('works with a link in an open tab, signed out or in as someone else', async ({ page, state }) => {
    const { admin_url: url } = state;
    const linkOf = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/admin/v1/sign-in-links`, { method: 'POST', headers });
      return ((await response.json()) as { token: string }).token;
    };
    await open(page, '/');
    await page.getByLabel('Admin token').waitFor();
    await page.evaluate('window.wasOpen = true');
    await open(page, `/#sign-in=${await linkOf(val)}`);
    await page.getByText('(viewer)').waitFor();
    await open(page, `/#sign-in=${await linkOf(ann)}`);
    await page.getByText('(admin)').waitFor();
    expect(await page.evaluate('window.wasOpen')).toBe(true);
    expect(page.url()).toBe(`${url}/console/`);
  });

  test('refuses a wrong token and says so, and ends when the session is revoked', async ({
    ann: page,
    browser,
  }) => {
    const wrong = await (await browser.newContext()).newPage();
    await open(wrong, '/');
    await wrong.getByText('staging').waitFor();
    await wrong.getByLabel('Admin token').fill('not-a-token-of-anybody');
    await wrong.getByRole('button', { name: 'Sign in', exact: true }).click();
    await untilText(wrong, /The token is wrong/);
    await open(page, '/sessions');
    const own = page.locator('li:has-text("this session")').getByRole('button', { name: 'End session' });
    await own.click();
    await page.route(/\/sessions\/ses_/, (route) => route.abort());
    await page.locator('dialog[open] button').last().click();
    await page.getByRole('dialog').getByText('The server did not respond.').waitFor();
    await page.reload();
    await page.unroute(/\/sessions\/ses_/);
    await own.click();
    await page.locator('dialog[open] button').last().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('is needed again in a tab whose session another tab has ended', async ({ ann: page, context }) => {
    const other = await context.newPage();
    await open(other, '/sessions');
    const own = other.locator('li:has-text("this session")').getByRole('button', { name: 'End session' });
    await own.waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await own.click();
    await other.locator('dialog[open] button').last().click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('lasts until signing out has succeeded, and says why it did not', async ({ ann: page }) => {
    const session = /\/admin\/v1\/session$/;
    await page.route(session, (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await untilText(page, 'The server did not respond.');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.unroute(session);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

test.describe('the button of the OIDC provider', () => {
  test('signs in, and leaves nothing of the sign-in in the address, the page or its storage', async ({
    page,
    state,
  }) => {
    await open(page, '/');
    await page.getByRole('button', { name: 'Sign in with Company login' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await signInAs(page, 'olga');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${state.admin_url}/console/`);
    await untilText(page, 'olga@example.com');
    // The router keeps scroll positions.
    const kept = await page.evaluate<string>(
      'document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })',
    );
    expect(kept).not.toMatch(/ses_|oidc_|olga|state=/);
    const { data } = await admin<{ data: object[] }>(state, '/sessions');
    expect(data).toContainEqual(
      expect.objectContaining({ actor: 'olga@example.com', role: 'support', method: 'oidc' }),
    );
    await open(page, `/sessions`);
    await untilText(page, 'support · by OIDC');
  });

  test('says what to do where the provider gives no role, and where it refused', async ({ page }) => {
    await signInAs(page, 'eve');
    await untilText(page, 'Company login knows you as oidc:eve, but gives you no role in Holdfast.');
    await open(page, `/oidc?error=access_denied&error_description=<b>call+me</b>`);
    await untilText(page, 'The provider did not sign you in (access_denied).');
    expect(await page.getByText('call me').count()).toBe(0);
    await open(page, `/oidc?code=planted&state=planted`);
    await untilText(page, 'This sign-in was started in another browser or tab');
  });
});

test.describe('a session', () => {
  test('is of no use to a page of another origin, which can neither act nor frame the console', async ({
    ann: page,
    state,
  }) => {
    const { admin_url: url } = state;
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<iframe src="${url}/console/"></iframe>`);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    // The same host, and so the same site: the cookie is sent.
    await page.goto(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`);
    const attack = (headers: string) =>
      page.evaluate<string>(
        `fetch('${url}/admin/v1/organizations', { method: 'POST', credentials: 'include', mode: '${headers === '{}' ? 'no-cors' : 'cors'}',
           headers: ${headers}, body: '{"name":"evil"}' }).then(({ status }) => String(status), () => 'refused')`,
      );
    await attack('{}');
    expect(await attack(`{ 'X-Holdfast-Console': '1', 'Content-Type': 'application/json' }`)).toBe('refused');
    const { data } = await admin<{ data: { name: string }[] }>(state, '/organizations');
    expect(data.map(({ name }) => name)).not.toContain('evil');
    const head = await fetch(`${url}/console/`);
    expect(head.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(head.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    server.close();
  });

  test('outlives a killed gateway: the open page recovers by itself', async ({ ann: page, state }) => {
    await open(page, '/executions');
    await page.locator('tbody tr').first().waitFor();
    const { pid } = state.services['api-gateway'] ?? { pid: 0 };
    process.kill(pid, 'SIGKILL');
    const id = await until('a new gateway accepts an execution', () =>
      runExecution(state, { model: 'sandbox-text', input: { prompt: 'after' } }).catch(() => null),
    );
    await page.locator(`tbody a[href*="${id}"]`).first().waitFor();
  });
});
