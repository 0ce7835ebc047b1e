import type { LocalState } from '@holdfast/local/launch/stateFile';
import { describe, expect, it } from '@jest/globals';
import { type OidcClient, startOidcProvider } from '../../stack/oidcProvider.ts';
import type { Browser, Page } from './browser.ts';
import { admin, untilText, violations } from './operator.ts';

/** A provider for the console at this port, and the settings of its gateway. */
export async function startLogin(adminPort: number) {
  const consoleUrl = `http://127.0.0.1:${adminPort}`;
  const client: OidcClient = {
    id: 'console',
    secret: 'a secret of the client',
    redirectUri: `${consoleUrl}/console/oidc`,
  };
  const provider = await startOidcProvider(client, {
    olga: { email: 'olga@example.com', email_verified: true, realm_access: { roles: ['ops'] } },
    eve: { preferred_username: 'eve' },
  });
  const settings = {
    ADMIN_PORT: String(adminPort),
    CONSOLE_URL: consoleUrl,
    CONSOLE_OIDC_ISSUER: provider.issuer,
    CONSOLE_OIDC_CLIENT_ID: client.id,
    CONSOLE_OIDC_CLIENT_SECRET: client.secret,
    CONSOLE_OIDC_ALLOW_ORIGINS: provider.issuer,
    CONSOLE_OIDC_ROLES_CLAIM: 'realm_access.roles',
    CONSOLE_OIDC_ROLES: 'ops:support',
    CONSOLE_OIDC_LABEL: 'Company login',
  };
  return { provider, settings };
}

/** Signing in by the button of the provider. */
export function describeOidc(get: () => { state: LocalState; browser: Browser }): void {
  const signInAs = async (page: Page, account: string) => {
    await page.goto(`${get().state.admin_url}/console/`);
    await page.getByRole('button', { name: 'Sign in with Company login' }).click();
    await page.getByRole('button', { name: account }).click();
  };

  describe('the button of the OIDC provider', () => {
    it('signs in, and leaves nothing of the sign-in in the address, the page or its storage', async () => {
      const { state, browser } = get();
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${state.admin_url}/console/`);
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
      await page.goto(`${state.admin_url}/console/sessions`);
      await untilText(page, 'support · by OIDC');
      await context.close();
    });

    it('says what to do where the provider gives no role, and where it refused', async () => {
      const { state, browser } = get();
      const context = await browser.newContext();
      const page = await context.newPage();
      await signInAs(page, 'eve');
      await untilText(page, 'Company login knows you as oidc:eve, but gives you no role in Holdfast.');
      await page.goto(`${state.admin_url}/console/oidc?error=access_denied&error_description=<b>call+me</b>`);
      await untilText(page, 'The provider did not sign you in (access_denied).');
      expect(await page.getByText('call me').count()).toBe(0);
      await page.goto(`${state.admin_url}/console/oidc?code=planted&state=planted`);
      await untilText(page, 'This sign-in was started in another browser or tab');
      await context.close();
    });
  });
}
