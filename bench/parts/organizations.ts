import type { Part } from '../bench.ts';
import { createOrganizations } from '../organization.ts';
import { walkMany } from './endToEnd.ts';

const count = 1000;

/** As `end_to_end`, spread over many organizations: what they wait for is no longer one row. */
export const organizations: Part = {
  about: `executions/s end to end, of ${count} organizations in turn`,
  async run(bench) {
    bench.say(`making ${count} organizations`);
    const made = await createOrganizations(bench.state, bench.receiver.url, count);
    const keys = made.map(({ apiKey }) => apiKey);
    const { perS, seconds } = await walkMany(bench, { name: 'organizations', keys });
    return { organizations_per_s: perS, organizations_seconds: seconds };
  },
};
