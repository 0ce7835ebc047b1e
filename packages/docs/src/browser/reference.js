import { createApiReference } from './scalar.js';

const root = document.documentElement;
const base = new URL(root.dataset.root, location.href);

function isDark() {
  const { theme } = root.dataset;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** As in catalogue.js: the key that was entered once serves every page of the tab. */
const keyName = 'holdfast-key';

/** A try must not send its result to a third party. */
async function loadDocument() {
  const response = await fetch(new URL('../openapi.json', base));
  const description = await response.json();
  const { properties } = description.components.schemas.CreateExecution;
  const sample = description.paths['/v1/executions'].post.requestBody.content['application/json'].example;
  for (const one of [properties.webhook_url, sample]) {
    delete one.webhook_url;
    delete one.examples;
    delete one.example;
  }
  return description;
}

/** Each try is a new request: with the key of the one before, a changed body would be refused. */
function beforeRequest({ request, requestBuilder }) {
  const { headers } = requestBuilder;
  if (headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
  const [, key] = /^Bearer (sk_\w+)$/.exec(request.headers.get('Authorization') ?? '') ?? [];
  if (key) sessionStorage.setItem(keyName, key);
}

const settings = () => ({
  content: description,
  onBeforeRequest: beforeRequest,
  servers: [{ url: new URL('..', base).href.replace(/\/$/, '') }],
  theme: 'none',
  forceDarkModeState: isDark() ? 'dark' : 'light',
  hideDarkModeToggle: true,
  // Only the samples of the document: our SDKs and curl.
  hiddenClients: true,
  hideClientButton: true,
  hideSearch: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  // Nothing leaves this server, and the key stays in the tab.
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: {
    preferredSecurityScheme: 'apiKey',
    securitySchemes: { apiKey: { token: sessionStorage.getItem(keyName) ?? '' } },
  },
  defaultOpenFirstTag: true,
  operationTitleSource: 'summary',
});

const description = await loadDocument();
const container = document.getElementById('reference');
container.replaceChildren();
const reference = createApiReference(container, settings());
document.addEventListener('themechange', () => reference.updateConfiguration(settings()));
