import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Money, Status, Time } from '../../ui/values.tsx';

type Key = Schemas['ApiKey'];

/** `active`, or why an API key does not work. */
export function stateOfKey(of: Key): string {
  if (of.revoked_at !== null) return 'revoked';
  return of.expires_at !== null && Date.parse(of.expires_at) <= Date.now() ? 'expired' : 'active';
}

function boundsOf({ scopes: given, permissions, models, addresses, mode }: Key): string {
  return [
    mode === 'test' ? text.organizations.test : '',
    permissions === 'full' ? text.keys.full : given.join(', '),
    models.join(', '),
    addresses.join(', '),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** An API key with its bounds. Its value is not known. */
export function KeyFacts({ of }: { of: Key }) {
  const state = stateOfKey(of);
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="break-all font-medium">{of.name}</span>
        <span className="font-mono text-soft text-xs">{`${of.prefix}…`}</span>
        {state !== 'active' && <Status of={state} />}
      </p>
      <p className="text-soft text-xs">{boundsOf(of)}</p>
      <p className="text-soft text-xs">
        {`${text.organizations.created} `}
        <Time at={of.created_at} />
        {of.expires_at && (
          <>
            {` · ${text.keys.expires} `}
            <Time at={of.expires_at} />
          </>
        )}
      </p>
      {of.spend_limit && (
        <p className="text-soft text-xs">
          {`${text.organizations.limit}: `}
          <Money of={of.spend_limit.spent} /> / <Money of={of.spend_limit.amount} />
        </p>
      )}
    </div>
  );
}
