import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { change, newIdempotencyKey, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { brief, subtract } from '../../ui/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { DialogButton, useChangeDialog } from '../../ui/dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { useMissingRole } from '../access/session.tsx';

type Review = Schemas['Review'];

/** The two decisions on an open review, or the decision that was made. */
export function Decision({ of }: { of: Review }) {
  if (of.state !== 'open') return <Decided of={of} />;
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Decide of={of} action="accept" label={text.reviews.accept} about={text.reviews.acceptAbout} />
      <Decide of={of} action="write-off" label={text.reviews.writeOff} about={text.reviews.writeOffAbout} />
    </div>
  );
}

function Decided({ of }: { of: Review }) {
  const state = text.reviews.states[of.state];
  return (
    <p className="text-soft">
      {`${of.charged === null ? state : `${state}: ${of.charged}`} ${text.reviews.by(of.decided_by ?? '')}, `}
      <Time at={of.decided_at} />
      <span className="block wrap-anywhere">{of.reason}</span>
    </p>
  );
}

type Props = { of: Review; action: 'accept' | 'write-off'; label: string; about: string };

/** The key lasts as long as the review is shown: a double click, or a repeat after a lost response, decides once. */
function Decide({ of, action, label, about }: Props) {
  const client = useQueryClient();
  const missingRole = useMissingRole('admin');
  const dialog = useChangeDialog();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const decide = async (form: FormData) => {
    const body = Object.fromEntries(form);
    await change('POST', `/reviews/${of.execution_id}/${action}`, { body, idempotencyKey });
    await client.invalidateQueries();
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void dialog.run(() => decide(form));
  };
  return (
    <DialogButton label={label} tone="plain" disabledBecause={missingRole} dialog={dialog}>
      <form onSubmit={onSubmit} className="space-y-3">
        <p className="text-soft">{about}</p>
        {action === 'accept' && (
          <Field label={text.reviews.amount(brief(subtract(of.reported_cost, of.hold)))}>
            <input
              name="amount"
              required
              inputMode="decimal"
              title={text.organizations.amountHint}
              pattern="\d+(\.\d{1,8})?"
              autoComplete="off"
              className={inputLook}
            />
          </Field>
        )}
        <Field label={text.reviews.reason}>
          <input name="reason" required maxLength={500} autoComplete="off" className={inputLook} />
        </Field>
        {dialog.error !== null && <Problem error={dialog.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={dialog.close}>{text.close}</Button>
          <Button type="submit" tone="primary" disabled={dialog.isBusy}>
            {label}
          </Button>
        </div>
      </form>
    </DialogButton>
  );
}

/** On the page of an execution: why it was charged less than it reported. */
export function ReviewNote({ of }: { of: Review }) {
  return (
    <div className="mb-4 space-y-2 rounded-md border border-line p-3">
      <p>
        {`${text.reviews.inReview(brief(of.reported_cost))} `}
        <Link to="/reviews" className="underline">
          {text.reviews.all}
        </Link>
      </p>
      <Decision of={of} />
    </div>
  );
}
