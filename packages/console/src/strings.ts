import { actionsTexts } from './strings/actions.ts';
import { batchesTexts } from './strings/batches.ts';
import { executionsTexts } from './strings/executions.ts';
import { organizationsTexts } from './strings/organizations.ts';
import { overviewTexts } from './strings/overview.ts';
import { systemTexts } from './strings/system.ts';
import { webhooksTexts } from './strings/webhooks.ts';

/** The texts of the console that several pages share, or that load with the first one. */
export const text = {
  ...overviewTexts,
  ...webhooksTexts,
  ...executionsTexts,
  ...batchesTexts,
  ...organizationsTexts,
  ...systemTexts,
  ...actionsTexts,
  product: 'Holdfast',
  console: 'Console',
  skip: 'Skip to content',
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
  close: 'Close',
  stored: 'I have stored it',
  copied: 'Copied',
  copy: 'Copy',
  copyBlocked: 'The browser blocks copying',
  retry: 'Try again',
  retrying: 'Trying again …',
  lost: 'The server did not respond.',
  lostOnce: 'You can submit this again: as long as you stay on this page, the same request is applied once.',
  lostUnknown: 'It may have been applied: check this before you submit it again.',
  failed: 'The request failed',
  notFound: 'Nothing is at this address',
  notFoundHint: 'Choose a page from the navigation.',
  broken: 'This page could not be shown',
  brokenHint: 'Reload it. If that does not help, report what you did.',
  reload: 'Reload',
  loading: 'Loading',
} as const;
