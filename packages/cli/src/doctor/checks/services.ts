import { reasonOf } from '@holdfast/kit/reason';
import type { Context } from '../../command.ts';
import { fetchWithin } from '../dial.ts';
import type { Check, Finding } from '../finding.ts';

export const servicesCheck: Check = {
  check: 'services',
  mend: 'HOLDFAST_HEALTH_URLS is a list like ledger=http://ledger:9464',
  async look(context: Context) {
    const services = context.serviceUrls();
    if (services.length > 0) return await Promise.all(services.map(healthFinding));
    const found =
      'their metrics ports are not known here: set HOLDFAST_HEALTH_URLS=ledger=http://ledger:9464,…';
    return [{ state: 'skipped', check: 'services', found }];
  },
};

async function healthFinding({ name, url }: { name: string; url: string }): Promise<Finding> {
  const check = `service ${name}`;
  try {
    const response = await fetchWithin(`${url}/readyz`);
    if (response.ok) return { state: 'ok', check, found: 'is ready' };
    const mend = `read the log of ${name}`;
    return { state: 'fail', check, found: `is not well: ${(await response.text()).slice(0, 300)}`, mend };
  } catch (error) {
    const mend = `is it running? Read the log of ${name}`;
    return { state: 'fail', check, found: `is not reached: ${reasonOf(error)}`, mend };
  }
}
