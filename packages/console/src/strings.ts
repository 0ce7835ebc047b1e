import { executionsTexts } from './strings/executions.ts';
import { shared as en } from './strings/languages/en.ts';
import { organizationsTexts } from './strings/organizations.ts';
import { overviewTexts } from './strings/overview.ts';
import { systemTexts } from './strings/system.ts';
import { webhooksTexts } from './strings/webhooks.ts';

/** The texts of the console that several pages share, or that load with the first one. */
export const text = {
  ...en,
  ...overviewTexts,
  ...webhooksTexts,
  ...executionsTexts,
  ...organizationsTexts,
  ...systemTexts,
  console: 'Console',
  signIn: {
    title: 'Sign in',
    about: 'Use your admin token. It is exchanged for a session of 12 hours and not kept in this browser.',
    token: 'Admin token',
    where:
      'npm start prints it, together with a link that signs you in. It is also in local.json, in the folder that npm start names under Files.',
    submit: 'Sign in',
    withLink: 'Signing you in …',
    linkFailed: 'The link was used before or has expired. Start again with your token.',
    or: 'or',
    withProvider: (label: string) => `Sign in with ${label}`,
    refused: (code: string) =>
      `The provider did not sign you in (${code}). Try again, or ask whoever manages it.`,
    incomplete: 'The provider sent no code. Sign in again.',
  },
  signOut: 'Sign out',
  nav: {
    overview: 'Overview',
    executions: 'Executions',
    batches: 'Batches',
    organizations: 'Organizations',
    money: 'Money',
    playground: 'Playground',
    models: 'Models',
    webhooks: 'Webhooks',
    queues: 'Queues',
    audit: 'Audit',
    actions: 'Actions',
    sessions: 'Sessions',
  },
  find: {
    open: 'Find',
    title: 'Find',
    hint: 'A page, an organization, an id, an order',
    page: 'Page',
    batch: 'Batch',
    none: 'Nothing is found.',
    keysTitle: 'Keys',
    keys: [
      ['⌘K', 'Find a page, an organization or an execution (Ctrl+K elsewhere)'],
      ['/', 'Search the list'],
      ['j', 'Next row; ↓ from the search'],
      ['k', 'Row before'],
      ['Enter', 'Open the row'],
      ['Esc', 'Close the dialog'],
      ['?', 'Show the keys'],
    ],
  },
  columns: { kind: 'Kind', amount: 'Amount' },
  needsRole: (role: string) => `Needs the role ${role}`,
} as const;
