import { LinkButton } from '../design/button';
import { Logo } from '../shell/logo';

export const metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col items-start justify-center gap-4 px-4 py-10">
      <Logo />
      <h1 className="text-xl font-semibold tracking-tight">Page not found</h1>
      <p className="text-ink-soft">
        The page does not exist, or it belongs to an organisation that is not yours.
      </p>
      <LinkButton look="primary" href="/">
        Go to the dashboard
      </LinkButton>
    </main>
  );
}
