/** Models that operators write in the console. */
export const modelEditorText = {
  create: 'New model',
  edit: 'Edit',
  titleOf: (slug: string) => `Edit ${slug}`,
  about:
    'The YAML of a model. Ctrl-Space suggests fields and values. Keys of providers are settings of the services, and never part of a model.',
  fromFile:
    'A file decides about this model. Once you apply a change here, the console does: the file is reported as a conflict and ignored until it says the same.',
  yaml: 'YAML',
  dryRun: 'Dry run',
  checking: 'Checking …',
  problems: (count: number) => (count === 1 ? '1 problem' : `${count} problems`),
  warning: 'Warning',
  line: (line: number) => `Line ${line}`,
  whole: 'All fields, with defaults',
  isNew: (slug: string) => `${slug} is a new model.`,
  changes: (count: number, slug: string) =>
    count === 1 ? `1 field of ${slug} changes.` : `${count} fields of ${slug} change.`,
  unchanged: (slug: string) => `Nothing changes in ${slug}.`,
  otherSlug: (slug: string, from: string) =>
    `This is another model than ${from}, which stays as it is: its slug is ${slug}.`,
  moved:
    'Someone has changed this model since you opened it. The dry run compares your text with it as it is now.',
  loadCurrent: 'Load the current text',
  offered: 'It will be offered within 5 seconds.',
  inactive: 'It will not be offered: it says active: false. On its page, you can try it with a test run.',
  notOffered: (missing: string) => `It will not be offered: ${missing}.`,
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  apply: 'Apply',
  disable: 'Disable',
  restore: 'Offer to clients',
  disableQuestion: (slug: string) =>
    `Disable ${slug}? New executions are refused with MODEL_UNAVAILABLE; those in progress continue.`,
  restoreQuestion: (slug: string) =>
    `Offer ${slug} to clients? It is in their lists, and they can run it, within 5 seconds.`,
  testRun: 'Test run',
  isTestRun:
    'Clients neither see nor run this model: it says active: false. A test run of yours calls the provider and charges the chosen organization, as any run does.',
  draft: 'Your text from before, which is not applied yet.',
  discard: 'Discard it',
  takesOver:
    'A file decides about it now; afterwards the console does, and the file is ignored until it says the same.',
  download: 'Download YAML',
  source: { file: 'from a file', console: 'from the console' },
} as const;
