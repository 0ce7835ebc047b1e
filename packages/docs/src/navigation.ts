/** A page made of a Markdown file of the repository. */
export type SourcePage = {
  /** The file, from the root of the repository. */
  file: string;
  /** Where it is served, below /docs/; the front page has the empty path. */
  path: string;
  /** Its name in the navigation; default: its heading. */
  label?: string;
};

/** A page of the site that no Markdown file holds. */
export type BuiltPage = { built: 'reference' | 'catalogue'; path: string; label: string };

export type Section = { title: string; pages: readonly (SourcePage | BuiltPage)[] };

const doc = (name: string, label?: string): SourcePage => ({
  file: `docs/${name}.md`,
  path: name,
  ...(label !== undefined && { label }),
});

/** The pages in the order in which the site lists them. Decisions, alerts and error codes follow from their folders. */
export const sections: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      { file: 'docs/README.md', path: '', label: 'Overview' },
      doc('quickstart/typescript', 'Quickstart: TypeScript'),
      doc('quickstart/python', 'Quickstart: Python'),
      doc('quickstart/go', 'Quickstart: Go'),
      doc('quickstart/curl', 'Quickstart: curl'),
      doc('tutorial', 'Tutorial'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      doc('guides/executions', 'Executions'),
      doc('webhooks', 'Webhooks'),
      doc('guides/streaming', 'Streaming'),
      doc('guides/batches', 'Batches'),
      doc('guides/files', 'Files'),
      doc('guides/balance', 'Balance and limits'),
      doc('guides/idempotency', 'Idempotency'),
      doc('guides/test-keys', 'Test keys'),
      doc('portal', 'The portal'),
      doc('guides/production', 'Going to production'),
      doc('guides/from-openai', 'Coming from OpenAI'),
      doc('guides/retries-elsewhere', 'The same retries elsewhere'),
      doc('guides/from-replicate', 'Coming from Replicate'),
      doc('guides/from-fal', 'Coming from fal'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      { built: 'reference', path: 'reference', label: 'API reference' },
      { built: 'catalogue', path: 'models', label: 'Models' },
      doc('api', 'API overview'),
      doc('compatible', 'OpenAI, Replicate, fal'),
      doc('errors', 'Errors'),
      { file: 'sdk/typescript/README.md', path: 'sdk/typescript', label: 'TypeScript SDK' },
      { file: 'sdk/python/README.md', path: 'sdk/python', label: 'Python SDK' },
      { file: 'sdk/react/README.md', path: 'sdk/react', label: 'React' },
      doc('cli', 'The holdfast command'),
      doc('configuration', 'Settings'),
    ],
  },
  {
    title: 'Operate',
    pages: [
      { file: 'docs/operate/README.md', path: 'operate', label: 'Tasks' },
      { file: 'docs/operate/alerts/README.md', path: 'operate/alerts', label: 'Alerts' },
      doc('deploying', 'Install and upgrade'),
      { file: 'deploy/helm/holdfast/README.md', path: 'chart', label: 'Helm chart' },
      doc('engines', 'Database, Redis, S3'),
      doc('console', 'The console'),
      doc('money', 'Money'),
      { file: 'docs/models.md', path: 'model-files', label: 'Model files' },
      doc('backup', 'Back up and restore'),
      doc('rotation', 'Rotate secrets'),
      doc('retention', 'Retention'),
      doc('tracing', 'Tracing'),
    ],
  },
  {
    title: 'Understand',
    pages: [
      doc('contract', 'The contract'),
      doc('promises', 'What we promise'),
      doc('comparison', 'How it compares'),
      doc('architecture', 'Architecture'),
      doc('benchmarks', 'Benchmarks'),
      { file: 'docs/adr/README.md', path: 'adr', label: 'Decisions' },
      { file: 'SECURITY.md', path: 'security', label: 'Security' },
      { file: 'CONTRIBUTING.md', path: 'contributing', label: 'Contributing' },
      { file: 'CHANGELOG.md', path: 'changelog', label: 'Changes' },
    ],
  },
];

/** Files that the page at `of` lists, and not the navigation; `*` of the path is the file's. */
export const families: readonly { files: string; path: string; of: string }[] = [
  { files: 'docs/webhooks/*.md', path: 'webhooks/*', of: 'webhooks' },
  { files: 'docs/models/*.md', path: 'model-files/*', of: 'model-files' },
  { files: 'docs/errors/*.md', path: 'errors/*', of: 'errors' },
  { files: 'docs/operate/*.md', path: 'operate/*', of: 'operate' },
  { files: 'packages/providers/src/*/README.md', path: 'providers/*', of: 'model-files' },
  { files: 'docs/operate/alerts/*.md', path: 'operate/alerts/*', of: 'operate/alerts' },
  { files: 'docs/adr/*.md', path: 'adr/*', of: 'adr' },
  { files: 'docs/contributing/*.md', path: 'contributing/*', of: 'contributing' },
];
