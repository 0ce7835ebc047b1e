import { reasonOf } from '@holdfast/kit/within';
import type { Context } from '../../command.ts';
import { type Check, type Finding, fetchWithin } from '../findings.ts';

export const servicesCheck: Check = {
  check: 'services',
  fix: 'HOLDFAST_HEALTH_URLS must be a list like ledger=http://ledger:9464',
  runbook: 'HoldfastServiceDown',
  async run(context: Context) {
    const services = context.serviceUrls();
    if (services.length > 0) return await Promise.all(services.map(healthFinding));
    const found = 'the metrics ports are unknown here: set HOLDFAST_HEALTH_URLS=ledger=http://ledger:9464,…';
    return [{ state: 'skipped', check: 'services', found }];
  },
};

async function healthFinding({ name, url }: { name: string; url: string }): Promise<Finding> {
  const check = `service ${name}`;
  try {
    const response = await fetchWithin(`${url}/readyz`);
    if (response.ok) return { state: 'ok', check, found: 'is ready' };
    const fix = `read the log of ${name}`;
    return { state: 'error', check, found: `is not ready: ${(await response.text()).slice(0, 300)}`, fix };
  } catch (error) {
    const fix = `is it running? Read the log of ${name}`;
    return { state: 'error', check, found: `cannot be reached: ${reasonOf(error)}`, fix };
  }
}
