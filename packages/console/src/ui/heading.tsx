import { type ReactNode, useEffect } from 'react';

const product = document.title;

/** The path of the heading that was shown last. Null: none was, so the browser itself loaded the page and begins at its top. */
let shownPath: string | null = null;
let hasNavigated = false;

/** Where the focus goes when its element is gone: browsers would begin at the top of the page again. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

export const isFocusLost = () => document.activeElement === document.body;

/** The one heading of a page. Its title also names the page in tabs, bookmarks and the history. */
export function Heading(props: { title: string; children?: ReactNode; className?: string }) {
  const { title, children = title, className = '' } = props;
  useEffect(() => {
    document.title = `${title} · ${product}`;
    const { pathname } = window.location;
    const isOfNewPage = shownPath !== null && pathname !== shownPath;
    shownPath = pathname;
    hasNavigated ||= isOfNewPage;
    // The heading of a page may be replaced once its data is read.
    if (isOfNewPage || (hasNavigated && isFocusLost())) focusHeading();
    return () => {
      document.title = product;
    };
  }, [title]);
  return (
    <h1 tabIndex={-1} className={`font-semibold text-xl outline-none ${className}`}>
      {children}
    </h1>
  );
}
