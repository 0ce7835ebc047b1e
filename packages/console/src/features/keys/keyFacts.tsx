import type { Schemas } from '../../api.ts';
import { text } from '../../strings/shared.ts';
import { Money, Status, Time } from '../../ui/values.tsx';
import { boundsOf, stateOfKey } from './apiKey.ts';

/** An API key with its bounds. Its value is not known. */
export function KeyFacts({ of }: { of: Schemas['ApiKey'] }) {
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
