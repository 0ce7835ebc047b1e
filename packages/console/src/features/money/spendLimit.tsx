import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { change, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, useChangeDialog } from '../../ui/dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { useRefusal } from '../access/session.tsx';

type Props = {
  path: string;
  /** Of the organization or key that is limited. */
  name: string;
  current: Schemas['SpendLimit'] | null;
  /** What to read again afterwards. */
  stale: readonly unknown[];
};

/** Sets or removes what may be spent in a month. Repeating it changes nothing. */
export function SpendLimit({ path, name, current, stale }: Props) {
  const client = useQueryClient();
  const refusal = useRefusal('admin');
  const { isOpen, error, open, close, run } = useChangeDialog();
  const save = (request: () => Promise<unknown>) =>
    run(async () => {
      await request();
      void client.invalidateQueries({ queryKey: stale });
    });
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const amount = String(new FormData(event.currentTarget).get('amount'));
    void save(() => change('PUT', path, { body: { amount } }));
  };
  return (
    <>
      <Button disabled={refusal !== null} title={refusal ?? undefined} onClick={open}>
        {text.spendLimit.change}
      </Button>
      <Dialog title={text.spendLimit.of(name)} isOpen={isOpen} onClose={close}>
        <form onSubmit={onSubmit} className="space-y-3">
          <p className="text-soft">{text.spendLimit.about}</p>
          <Field label={text.organizations.amount}>
            <input
              name="amount"
              required
              inputMode="decimal"
              title={text.organizations.amountHint}
              pattern="\d+(\.\d{1,8})?"
              defaultValue={current?.amount ?? ''}
              autoComplete="off"
              className={inputLook}
            />
          </Field>
          {error !== null && <Problem error={error} />}
          <div className="flex flex-wrap justify-end gap-2">
            {current && (
              <Button tone="danger" onClick={() => void save(() => change('DELETE', path))}>
                {text.spendLimit.remove}
              </Button>
            )}
            <Button onClick={close}>{text.close}</Button>
            <Button type="submit" tone="primary">
              {text.spendLimit.set}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
