/** What must not stand in a message: of this connection (as it is, or a part of it), and of this run. */
export type Secrets = {
  baseUrl: string;
  apiKey: string | null;
  settings?: Readonly<Record<string, string>>;
  providerModel?: string;
};

/** Brands, also where they begin an identifier (`OPENAI_API_KEY`, `OpenAIException`). */
const brands =
  /(open\s?ai|open\s?router|azure|chatgpt|vllm|ollama|litellm|llama\.cpp|lm\s?studio|anthropic|hugging\s?face)\w*/gi;
/** Those that are words or parts of words, too: not where letters of the same word stand beside them (`False`). */
const identifiers =
  /(?<![A-Za-z])(([Rr]eplicate|[Ff]al|[Cc]og|[Ss]andbox)(?![a-z])|(REPLICATE|FAL|COG|SANDBOX)(?![A-Za-z]))(\.ai\b|\w*)/g;
const urls = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>)]+/gi;
const dataUris = /\bdata:[\w/+.-]*[;,][^\s"'<>)]*/gi;
const keys = /\b(sk|pk|r8|key|hf|Bearer)[-_ ][A-Za-z0-9*._-]{6,}/gi;
// Bounded: a text of nothing but dots would be looked through from each of them.
const hosts =
  /\b((\d{1,3}\.){3}\d{1,3}|localhost|([a-z0-9-]{1,63}\.){1,8}(com|net|org|io|ai|im|dev|run|app|media|delivery|cloud|internal|local))(:\d{1,5})?\b/gi;
const addresses = /\[?\b[0-9a-f]{0,4}(:[0-9a-f]{0,4}){3,7}\b\]?(:\d{1,5})?/gi;
const paths = /(\/[\w.@-]+){2,}/g;
// oxlint-disable-next-line no-control-regex -- they are what is removed
const controls = /[\u0000-\u001f\u007f]/g;
const longest = 500;
const longestLine = 4096;

/** A provider's error text as a client may see it: one line, no provider, host, key, URL or file path in it. */
export function scrub(text: string, secrets: Secrets): string {
  return masked(firstLine(text), secrets).slice(0, longest).trim();
}

/**
 * A line of a provider's log as a client may see it, its indentation kept. Of a progress bar that was drawn over and over
 * (`\r`) it is the last state.
 */
export function scrubLine(text: string, secrets: Secrets): string {
  const shown = text.split('\r').findLast((part) => part.trim() !== '') ?? '';
  return masked(shown.replace(controls, ' '), secrets).slice(0, longestLine).trimEnd();
}

function masked(line: string, secrets: Secrets): string {
  const own = [...keysOf(secrets), secrets.baseUrl, hostOf(secrets.baseUrl), secrets.providerModel ?? ''];
  return own
    .filter((secret) => secret.length > 2)
    .reduce((rest, secret) => rest.replaceAll(secret, 'the model'), line)
    .replace(dataUris, '[data]')
    .replace(urls, '[url]')
    .replace(keys, '[key]')
    .replace(hosts, '[host]')
    .replace(addresses, '[host]')
    .replace(paths, '[path]')
    .replace(brands, 'the model')
    .replace(identifiers, 'the model');
}

/** Our keys at the provider, the longest first. A setting shorter than a key can be is a number or a name. */
export function keysOf({ baseUrl, apiKey, settings = {} }: Secrets): string[] {
  const long = [...Object.values(settings), ...credentialsOf(baseUrl)].filter((value) => value.length >= 8);
  return [...(apiKey && apiKey.length > 2 ? [apiKey] : []), ...long].toSorted((a, b) => b.length - a.length);
}

function firstLine(text: string): string {
  const lines = text.slice(0, 20_000).split(/[\r\n]+/);
  return (lines.find((line) => line.trim() !== '') ?? '').replace(controls, ' ').slice(0, 2000);
}

/** What a base URL may carry, as it is written there and as it is sent. */
function credentialsOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  const sent = [decoded(username), decoded(password)];
  return [username, password, ...sent, Buffer.from(sent.join(':')).toString('base64')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
