import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { SignInForm } from '../../features/sign-in/sign-in-form';
import { ownPath } from '../../server/same-origin';
import { currentViewer } from '../../server/viewer';
import { Logo } from '../../shell/logo';

export const metadata = { title: 'Sign in' };

type LoginProps = { searchParams: Promise<{ next?: string | string[] }> };

export default async function Login({ searchParams }: LoginProps) {
  const { next } = await searchParams;
  const target = ownPath(typeof next === 'string' ? next : undefined) ?? '/';
  const fetchSite = (await headers()).get('sec-fetch-site');
  const found = await currentViewer();
  if (found.ok) redirect(target);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-6 text-lg">
          <Logo />
        </div>
        <div className="rounded-lg border bg-surface p-6">
          <h1 className="text-lg font-semibold tracking-tight">Sign in to the console</h1>
          <p className="mb-5 text-ink-soft">Keys, limits and usage of your LLM gateway.</p>
          <SignInForm next={target} fromElsewhere={fetchSite === 'cross-site'} />
        </div>
      </div>
    </main>
  );
}
