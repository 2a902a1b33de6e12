/** What is wrong with a group of fields; nothing without an error. */
export function ErrorText({ children }: { readonly children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <p role="alert" className="text-sm text-bad">
      {children}
    </p>
  );
}
