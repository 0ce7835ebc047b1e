import { useNavigate } from '@tanstack/react-router';
import { type ChangeEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { text } from '../../strings.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { pageOfId, remainingOf, type Wish, wishAfter } from './search.ts';

/** The list follows when nothing was typed for this long. */
const pauseMs = 200;

/** The first and widest field of the filters: `/` leads to it. It filters while someone types; a whole id opens its page. */
export function Search(props: {
  value: string | undefined;
  placeholder: string;
  /** The list shows what was found for `value`. */
  isFound: boolean;
  onChange: (value: string) => void;
}) {
  const { value = '', placeholder, isFound, onChange } = props;
  const navigate = useNavigate();
  const [typed, setTyped] = useState(value);
  const [wish, setWish] = useState<Wish | null>(null);
  const sent = useRef<string[]>([]);
  /** A page is being opened, which the list must not replace. */
  const isLeaving = useRef(false);
  const isApplied = typed.trim() === value;

  const apply = () => {
    const wanted = typed.trim();
    if (isLeaving.current || wanted === (sent.current.at(-1) ?? value)) return;
    sent.current.push(wanted);
    onChange(wanted);
  };
  useEffect(() => {
    const remaining = remainingOf(sent.current, value);
    sent.current = remaining ?? [];
    if (remaining === null) setTyped((now) => (now.trim() === value ? now : value));
  }, [value]);
  useEffect(() => {
    if (isApplied) return;
    const timer = setTimeout(apply, pauseMs);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    if (wish === null || !isApplied || !isFound) return;
    setWish(null);
    const row = document.querySelector<HTMLElement>('main a[data-row]');
    row?.focus();
    if (wish === 'open') row?.click();
  }, [wish, isApplied, isFound]);

  const open = (wanted: string): boolean => {
    const page = pageOfId(wanted);
    isLeaving.current = page !== null;
    if (page) void navigate({ to: page.to, params: { id: page.id } });
    return page !== null;
  };
  const onTyped = ({ currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    setWish(null);
    isLeaving.current = false;
    setTyped(currentTarget.value);
    const isPasted = nativeEvent instanceof InputEvent && nativeEvent.inputType === 'insertFromPaste';
    if (isPasted) open(currentTarget.value);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (!['ArrowDown', 'Enter'].includes(event.key) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (event.key === 'Enter' && open(typed)) return;
    setWish(wishAfter(event.key, wish));
    apply();
  };
  return (
    <div className="col-span-2 lg:col-span-1">
      <Field label={text.list.submit}>
        <input
          type="search"
          value={typed}
          placeholder={placeholder}
          onChange={onTyped}
          onKeyDown={onKeyDown}
          onBlur={() => setWish(null)}
          className={inputLook}
        />
      </Field>
    </div>
  );
}
