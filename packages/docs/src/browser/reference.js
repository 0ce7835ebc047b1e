import { createApiReference } from './scalar.js';

const root = document.documentElement;
const base = new URL(root.dataset.root, location.href);

function isDark() {
  const { theme } = root.dataset;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

const settings = () => ({
  url: new URL('../openapi.json', base).href,
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
  // Nothing leaves this server, and the key stays in the memory of the tab.
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultOpenFirstTag: true,
  operationTitleSource: 'summary',
});

const container = document.getElementById('reference');
container.replaceChildren();
const reference = createApiReference(container, settings());
document.addEventListener('themechange', () => reference.updateConfiguration(settings()));
