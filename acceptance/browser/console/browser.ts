import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** The part of Playwright that the tests use. It is installed with the console, so its own types may be missing. */
export type Locator = {
  click(options?: { button?: 'left' | 'middle'; position?: { x: number; y: number } }): Promise<void>;
  fill(text: string): Promise<void>;
  check(): Promise<void>;
  focus(): Promise<void>;
  selectOption(value: string): Promise<string[]>;
  setInputFiles(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>;
  textContent(): Promise<string | null>;
  count(): Promise<number>;
  first(): Locator;
  getAttribute(name: string): Promise<string | null>;
  isDisabled(): Promise<boolean>;
  waitFor(options?: { state?: 'visible' | 'hidden'; timeout?: number }): Promise<void>;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByPlaceholder(text: string): Locator;
};

export type Page = Pick<Locator, 'getByRole' | 'getByText'> & {
  goto(url: string): Promise<{ status(): number; headers(): Record<string, string> } | null>;
  reload(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  getByLabel(text: string | RegExp): Locator;
  locator(selector: string): Locator;
  waitForURL(url: RegExp): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  emulateMedia(options: { colorScheme: 'light' | 'dark' }): Promise<void>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  evaluate<Found>(script: string): Promise<Found>;
  frameLocator(selector: string): Pick<Locator, 'getByRole' | 'getByText'>;
  addScriptTag(options: { content: string }): Promise<unknown>;
  clock: { install(): Promise<void>; runFor(ms: number): Promise<void> };
  keyboard: { press(key: string): Promise<void> };
  route(url: RegExp, handle: (route: Route) => Promise<void>): Promise<unknown>;
  unroute(url: RegExp): Promise<void>;
  on(event: 'console' | 'pageerror' | 'dialog' | 'request', listener: (message: Message) => void): void;
};

type Route = {
  request(): { url(): string; method(): string };
  fulfill(response: { status: number; json: object }): Promise<void>;
  continue(): Promise<void>;
  abort(): Promise<void>;
  /** Sends the request, and returns its response to the test alone. */
  fetch(): Promise<unknown>;
};

type Message = { type?(): string; text?(): string; url?(): string; message?: unknown };

export type BrowserContext = {
  newPage(): Promise<Page>;
  pages(): Page[];
  setOffline(isOffline: boolean): Promise<void>;
  close(): Promise<void>;
  cookies(): Promise<{ name: string; value: string; httpOnly: boolean; secure: boolean; sameSite: string }[]>;
};

export type Browser = {
  newContext(options?: { bypassCSP?: boolean }): Promise<BrowserContext>;
  close(): Promise<void>;
};

export const consoleRequire = createRequire(
  resolve(import.meta.dirname, '../../../packages/console/package.json'),
);

const debianChromium = '/usr/bin/chromium';

/** Debian's Chromium; as root it is installed where it is missing. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(debianChromium)) installChromium();
  const { chromium } = consoleRequire('playwright-core') as {
    chromium: { launch(options: object): Promise<Browser> };
  };
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return await chromium.launch({ executablePath: debianChromium, args });
}

function installChromium(): void {
  if (process.getuid?.() !== 0)
    throw new Error('Chromium is missing: apt-get install chromium, then run this again.');
  execFileSync('apt-get', ['update'], { stdio: 'ignore' });
  execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
}
