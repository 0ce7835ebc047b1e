import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { newWebhookSecret, signatureHeaders, signingKeys } from '@holdfast/domain/webhookSignature';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isOnThisMachine, type Language, languages } from './languages.ts';
import { type Snippet, startSnippet } from './snippet.ts';
import { fencedIn } from './tutorial.ts';

const docs = resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(resolve(docs, 'webhooks/verify.md'), 'utf8');

/** The program on the page; for `x`, with the call replaced by the other check's, as the page says. */
function program({ fence, checks }: Language, scheme: 'standard' | 'x'): string {
  const [text = ''] = fencedIn(page, fence);
  if (scheme === 'standard') return text;
  const call = text.lastIndexOf(checks.standard);
  return text.slice(0, call) + checks.x + text.slice(call + checks.standard.length);
}

const secret = newWebhookSecret();
const other = newWebhookSecret();
const eventId = 'evt_019d0a5c-7c1e-7a44-9a53-0c1f2b6d7e88';

// Parsing and serializing would change these bytes: numbers, blanks, letters, line endings.
const text = `{"id": "${eventId}","type":"execution.completed", "cost":1.0,"text":"Grüße ✓ \\u00e9"}\n\n`;

type Signed = ReturnType<typeof signatureHeaders>;
type Change = {
  secret?: string;
  body?: string;
  ageS?: number;
  previous?: string;
  isPreviousPrimary?: boolean;
};

function signed(change: Change = {}): Signed {
  const { body = text, ageS = 0, previous, isPreviousPrimary = false } = change;
  const current = signingKeys(change.secret ?? secret);
  return signatureHeaders({
    signers: { current, previous: previous ? signingKeys(previous) : null, isPreviousPrimary },
    eventId,
    timestampS: Math.floor(Date.now() / 1000) - ageS,
    body,
  });
}

const without = (name: keyof Signed) =>
  Object.fromEntries(Object.entries(signed()).filter(([n]) => n !== name));

/** Requests that each check must refuse by its own headers, whatever the others contain. */
const refused: Record<string, () => Record<string, string>> = {
  'a changed body': () => signed({ body: text.replace('1.0', '9.0') }),
  'a body without its last line': () => signed({ body: text.trimEnd() }),
  'a signature by another secret': () => signed({ secret: other }),
  'an old timestamp': () => signed({ ageS: 310 }),
  'a timestamp in the future': () => signed({ ageS: -310 }),
  'a request without headers': () => ({}),
};

const refusedByScheme: Record<'standard' | 'x', Record<string, () => Record<string, string>>> = {
  standard: {
    'a request without a timestamp': () => without('webhook-timestamp'),
    'a request without a signature': () => without('webhook-signature'),
    'a request without an id': () => without('webhook-id'),
    'another id': () => ({ ...signed(), 'webhook-id': 'evt_other' }),
    'a changed timestamp': () => ({
      ...signed(),
      'webhook-timestamp': signed({ ageS: 5 })['webhook-timestamp'],
    }),
    'an invalid timestamp': () => ({ ...signed(), 'webhook-timestamp': 'soon' }),
    'an empty signature': () => ({ ...signed(), 'webhook-signature': 'v1,' }),
    'a signature of another version': () => ({
      ...signed(),
      'webhook-signature': signed()['webhook-signature'].replace('v1', 'v2'),
    }),
  },
  x: {
    'a request without a timestamp': () => without('X-Signature-Timestamp'),
    'a request without a signature': () => without('X-Signature'),
    'a changed timestamp': () => ({
      ...signed(),
      'X-Signature-Timestamp': signed({ ageS: 5 })['X-Signature-Timestamp'],
    }),
    'an invalid timestamp': () => ({ ...signed(), 'X-Signature-Timestamp': 'soon' }),
    'an empty signature': () => ({ ...signed(), 'X-Signature': '' }),
    'a signature by the old secret while the new one is primary': () =>
      signed({ secret: other, previous: secret }),
    'half a signature': () => ({ ...signed(), 'X-Signature': signed()['X-Signature'].slice(0, 32) }),
  },
};

const accepted: Record<'standard' | 'x', Record<string, () => Record<string, string>>> = {
  standard: {
    'an authentic request': () => ({ ...signed(), 'X-Signature': 'of no concern' }),
    'a request that took four minutes': () => signed({ ageS: 240 }),
    'a signature by the old secret during a rotation': () => signed({ secret: other, previous: secret }),
    'a signature by the new secret during a rotation': () => signed({ secret, previous: other }),
  },
  x: {
    'an authentic request': () => ({ ...signed(), 'webhook-signature': 'of no concern' }),
    'a request that took four minutes': () => signed({ ageS: 240 }),
    'a signature by the old secret while that is primary': () =>
      signed({ secret: other, previous: secret, isPreviousPrimary: true }),
    'a signature by the new secret during a rotation': () => signed({ secret, previous: other }),
  },
};

describe('the receiver with the SDK on docs/webhooks.md', () => {
  let snippet: Snippet | undefined;
  const [typescript] = languages;

  beforeAll(async () => {
    const [text = ''] = fencedIn(readFileSync(resolve(docs, 'webhooks.md'), 'utf8'), 'ts');
    const sdk = resolve(docs, '../sdk/typescript/src/index.ts');
    if (typescript) snippet = await startSnippet(typescript, text.replace('@holdfast/sdk', sdk), secret);
  }, 60_000);
  afterAll(() => snippet?.end());

  it('accepts an authentic request, and refuses a changed one', async () => {
    const receive = (headers: Record<string, string>) =>
      snippet?.receive({ headers, body: Buffer.from(text) });
    expect(await receive(signed())).toBe(204);
    expect(await receive(signed({ secret: other }))).toBe(401);
  });
});

describe.each(languages)('the receiver in $name on docs/webhooks/verify.md', (language) => {
  it('is one fenced block', () => {
    expect(fencedIn(page, language.fence)).toHaveLength(1);
  });

  if (!isOnThisMachine(language)) {
    it.skip(`runs (${language.name} is not installed)`, () => {});
    return;
  }

  describe.each(['standard', 'x'] as const)('with its check "%s"', (scheme) => {
    let snippet: Snippet | undefined;
    beforeAll(async () => {
      snippet = await startSnippet(language, program(language, scheme), secret);
    }, 180_000);
    afterAll(() => snippet?.end());
    const receive = (headers: Record<string, string>) =>
      snippet?.receive({
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(text),
      });

    it.each(Object.entries(accepted[scheme]))('accepts %s', async (_name, headers) => {
      expect(await receive(headers())).toBe(204);
    });

    it.each(Object.entries({ ...refused, ...refusedByScheme[scheme] }))(
      'refuses %s',
      async (_name, headers) => {
        expect(await receive(headers())).toBe(401);
      },
    );
  });
});
