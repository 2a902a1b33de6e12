import { headers } from 'next/headers';
import { redirect } from 'next/navigation';

import { SignInForm } from '../../features/sign-in/sign-in-form';
import { signInProblem } from '../../features/sign-in/sign-in-problem';
import { SignedIn } from '../../features/sign-in/signed-in';
import { getterOf } from '../../server/pages';
import { ownPath } from '../../server/same-origin';
import { signInMethods } from '../../server/sign-in-methods';
import { currentViewer } from '../../server/viewer';
import { PublicPage } from '../../shell/public-page';

export const metadata = { title: 'Sign in' };

/** The fallback while the catalog is not reachable. The form shows the failure. */
const PASSWORD_ONLY = { password: true, passwordReset: false, sso: null };

interface LoginProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Login({ searchParams }: LoginProps) {
  const get = getterOf(await searchParams);
  const target = ownPath(get('next')) ?? '/';
  // Strict cookies are missing on the redirect from the identity provider. The page must request
  // itself once.
  if (get('signedIn') === '1') return <SignedIn next={target} />;
  const fetchSite = (await headers()).get('sec-fetch-site');
  const found = await currentViewer();
  if (found.ok) redirect(target);
  return (
    <PublicPage
      title="Sign in to the console"
      description="Keys, limits and usage of your LLM gateway."
    >
      <SignInForm
        next={target}
        methods={(await signInMethods()) ?? PASSWORD_ONLY}
        problem={signInProblem(get('error'))}
        fromElsewhere={fetchSite === 'cross-site'}
      />
    </PublicPage>
  );
}
