import type { Part } from '../bench.ts';
import { createOrganizations } from '../organization.ts';
import { round } from '../statistics.ts';
import { walk } from './endToEnd.ts';

const count = 1000;
/** Alternating: the machine's speed changes from minute to minute. */
const turns = ['one', 'many', 'many', 'one', 'one', 'many', 'many', 'one'] as const;
const names = { one: 'one_organization', many: 'organizations' };

/** As `end_to_end`, over many organizations instead of one balance row. */
export const organizations: Part = {
  about: `executions/s end to end, of ${count} organizations that take turns, and of one other`,
  async run(bench) {
    bench.say(`making ${count} organizations`);
    const made = await createOrganizations(bench.state, count, () => [`${bench.receiver.url}/`]);
    const keys = { one: [bench.apiKey], many: made.map(({ apiKey }) => apiKey) };
    const executions = Math.ceil(bench.flags.executions / 4);
    const take = (turn: 'one' | 'many') => walk(bench, { name: names[turn], keys: keys[turn], executions });
    await take('many');
    const seconds = { one: 0, many: 0 };
    for (const turn of turns) seconds[turn] += (await take(turn)).seconds;
    return {
      organizations_per_s: round((4 * executions) / seconds.many),
      one_organization_per_s: round((4 * executions) / seconds.one),
    };
  },
};
