import { adminPath } from '../admin/path.ts';

/** Of what an organization has of webhooks, below `/admin/v1`. */
export const webhooksPath = (org: string, ...rest: string[]) =>
  adminPath('organizations', org, 'webhooks', ...rest);
