import { isBrowser } from './runtime.ts';

/** A release sets this and the version in package.json. */
export const version = '0.3.0';

export type HoldfastOptions = {
  /** The URL of your Holdfast. Default: the environment variable HOLDFAST_URL. */
  baseUrl?: string;
  /** An API key (`sk_…`) or a token for one execution. Default: the environment variable HOLDFAST_API_KEY. */
  apiKey?: string;
  /** Milliseconds that one HTTP request may take, from connecting to the end of its response. Default: 60,000. */
  timeout?: number;
  /** How often a request is repeated after a failure that a repetition can cure. Default: 5. */
  maxRetries?: number;
  /** Milliseconds after which a failed request is no longer repeated. Default: 90,000, more than a `Retry-After` of the service. */
  retryDeadline?: number;
  /** Headers of every request. */
  headers?: Record<string, string>;
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Allows an API key in a browser, where every visitor can read it. */
  dangerouslyAllowBrowser?: boolean;
};

export type Settings = {
  baseUrl: string;
  apiKey: string;
  timeout: number;
  maxRetries: number;
  retryDeadline: number;
  headers: Record<string, string>;
  fetch: typeof globalThis.fetch;
};

/** @throws TypeError if an option is missing or invalid */
export function readSettings(options: HoldfastOptions): Settings {
  const apiKey = options.apiKey ?? environment('HOLDFAST_API_KEY');
  if (!apiKey) throw new TypeError('There is no API key: pass `apiKey` or set HOLDFAST_API_KEY.');
  if (/[^\x21-\x7e]/.test(apiKey)) throw new TypeError('The API key has a character that no key has.');
  if (apiKey.startsWith('sk_') && isBrowser() && !options.dangerouslyAllowBrowser) {
    throw new TypeError(
      'An API key in a browser can be read by every visitor, who can then spend your balance. Call Holdfast from your ' +
        'server, or give the browser a token of one execution. `dangerouslyAllowBrowser: true` allows it anyway.',
    );
  }
  return {
    baseUrl: readBaseUrl(options.baseUrl ?? environment('HOLDFAST_URL')),
    apiKey,
    timeout: readNumber('timeout', options.timeout, 60_000),
    maxRetries: readNumber('maxRetries', options.maxRetries, 5),
    retryDeadline: readNumber('retryDeadline', options.retryDeadline, 90_000),
    headers: options.headers ?? {},
    // Called as a method of `globalThis`: some runtimes refuse any other `this`.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
  };
}

function readBaseUrl(text: string | undefined): string {
  if (!text) throw new TypeError('There is no URL: pass `baseUrl` or set HOLDFAST_URL.');
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new TypeError(`"${text}" is not a URL such as https://holdfast.example.com.`);
  }
  const { username, password } = new URL(text);
  if (username || password) throw new TypeError('The URL must have no user name or password.');
  return text.replace(/\/+$/, '');
}

function readNumber(name: string, value: number | undefined, defaultValue: number): number {
  if (value === undefined) return defaultValue;
  if (typeof value === 'number' && value >= 0) return value;
  throw new TypeError(`${name} must be a number that is not negative.`);
}

export function environment(name: string): string | undefined {
  // Browsers and some workers have no `process`.
  return typeof process === 'undefined' ? undefined : process.env?.[name];
}
