import { ForgotPassword, ToSignIn } from '../../features/sign-in/forgot-password';
import { signInMethods } from '../../server/sign-in-methods';
import { PublicPage } from '../../shell/public-page';

export const metadata = { title: 'Forgotten password' };

export default async function ForgotPasswordPage() {
  const methods = await signInMethods();
  if (methods?.passwordReset === false) {
    return (
      <PublicPage title="Forgotten password" description="This gateway sends no email.">
        <div className="flex flex-col gap-4">
          <p>Ask an administrator of your organisation for a link that sets a new password.</p>
          <ToSignIn />
        </div>
      </PublicPage>
    );
  }
  return (
    <PublicPage
      title="Forgotten password"
      description="You get an email with a link that sets a new password."
    >
      <ForgotPassword />
    </PublicPage>
  );
}
