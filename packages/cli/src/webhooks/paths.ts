/** Of what an organization has of webhooks, below `/admin/v1`. */
export const webhooksPath = (org: string, ...rest: string[]) =>
  ['/organizations', org, 'webhooks', ...rest]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
