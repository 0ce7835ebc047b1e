import type { Schemas } from '../../api.ts';
import { actionsText } from '../../strings/actions.ts';

type Action = Pick<Schemas['AdminAction'], 'action' | 'organization_id' | 'target' | 'details'>;

/** A piece of a sentence: text, or the id of what it links to. */
export type Part = string | { id: string };

const maxLength = 80;

/** What was done, after the name of who did it. An action without words is shown as it was recorded. */
export function sentenceOf(of: Action): Part[] {
  const parts = bodyOf(of);
  const { reason } = of.details;
  return typeof reason === 'string' && reason !== '' ? [...parts, `: ${reason}`] : parts;
}

function bodyOf(of: Action): Part[] {
  const template = actionsText.sentences[of.action];
  if (template !== undefined) return filled(template, of);
  const { arguments: given } = of.details;
  const command = Array.isArray(given) ? [of.action, ...given].join(' ') : of.action;
  const named = [of.target, of.organization_id].filter((id) => id !== null);
  return [`${actionsText.ran} ${command}`, ...named.flatMap((id) => [' ', { id }])];
}

function filled(template: string, of: Action): Part[] {
  return template.split(/[[\]]/).flatMap((piece, at) => {
    // Every second piece is in brackets.
    const parts = piece.split(/\{(\w+)\}/).map((one, index) => (index % 2 === 0 ? one : valueOf(one, of)));
    if (at % 2 === 1 && parts.includes(null)) return [];
    return parts.filter((part) => part !== null && part !== '') as Part[];
  });
}

function valueOf(name: string, { organization_id: organizationId, target, details }: Action): Part | null {
  if (name === 'organization') return organizationId && { id: organizationId };
  if (name === 'target') return target && { id: target };
  if (name === 'changes') return changesOf(details) || null;
  const value = details[name];
  if (typeof value === 'string' && value.startsWith('org_')) return { id: value };
  return value === undefined || value === null ? null : shown(value);
}

const changesOf = (details: Record<string, unknown>) =>
  Object.entries(details)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${shown(value)}`)
    .join(', ');

function shown(value: unknown): string {
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  return written.length > maxLength ? `${written.slice(0, maxLength)}…` : written;
}

/** The amount of money that an action moved. */
export function amountOf({ details: { amount } }: Pick<Action, 'details'>): string | null {
  return typeof amount === 'string' ? amount : null;
}
