import { expect, it } from '@jest/globals';
import { sentenceOf } from './words.ts';

const by = (action: string, more: object = {}) =>
  sentenceOf({ action, organization_id: 'org_1', target: null, details: {}, ...more });

it.each<[string, ReturnType<typeof sentenceOf>, ReturnType<typeof sentenceOf>]>([
  [
    'a top-up with its amount and reason',
    by('POST /admin/v1/organizations/{id}/top-ups', { details: { amount: '25.00', reason: 'invoice 7' } }),
    ['topped up ', { id: 'org_1' }, ' with ', '25.00', ' USD', ': invoice 7'],
  ],
  [
    'a refused top-up without its body',
    by('POST /admin/v1/organizations/{id}/top-ups'),
    ['topped up ', { id: 'org_1' }],
  ],
  [
    'what was changed of an endpoint',
    by('PATCH /admin/v1/organizations/{organization_id}/webhooks/endpoints/{id}', {
      target: 'wh_1',
      details: { is_active: false, events: ['x'] },
    }),
    ['changed the endpoint ', { id: 'wh_1' }, ': ', 'is active false, events ["x"]'],
  ],
  [
    'a command with its arguments',
    by('holdfast models apply', { organization_id: null, details: { arguments: ['models'] } }),
    ['ran holdfast models apply models'],
  ],
  [
    'an action that has no words',
    by('POST /admin/v1/novelties', { target: 'nov_1' }),
    ['ran POST /admin/v1/novelties', ' ', { id: 'nov_1' }, ' ', { id: 'org_1' }],
  ],
])('says %s', (_title, found, expected) => {
  expect(found).toEqual(expected);
});
