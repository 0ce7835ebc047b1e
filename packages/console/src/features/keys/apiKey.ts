import type { Schemas } from '../../api.ts';
import { text } from '../../strings/shared.ts';
import { listIn, textIn } from '../../ui/formData.ts';

type Key = Schemas['ApiKey'];

/** `active`, or why an API key does not work. */
export function stateOfKey(of: Pick<Key, 'revoked_at' | 'expires_at'>): 'active' | 'revoked' | 'expired' {
  if (of.revoked_at !== null) return 'revoked';
  return of.expires_at !== null && Date.parse(of.expires_at) <= Date.now() ? 'expired' : 'active';
}

type Bounds = Pick<Key, 'scopes' | 'permissions' | 'models' | 'addresses' | 'mode'>;

/** What an API key may do, for which models and from where. */
export function boundsOf({ scopes, permissions, models, addresses, mode }: Bounds): string {
  return [
    mode === 'test' ? text.organizations.test : '',
    permissions === 'full' ? text.keys.full : scopes.join(', '),
    models.join(', '),
    addresses.join(', '),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The request for the key that a form describes. */
export function keyIn(form: FormData) {
  const expiresAt = textIn(form, 'expires_at');
  return {
    name: textIn(form, 'name'),
    scopes: form.getAll('scopes').map(String),
    models: listIn(form, 'models'),
    addresses: listIn(form, 'addresses'),
    ...(expiresAt && { expires_at: new Date(expiresAt).toISOString() }),
    ...(form.get('is_test') === 'on' && { mode: 'test' }),
  };
}
