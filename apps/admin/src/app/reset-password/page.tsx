import { ResetPassword } from '../../features/sign-in/reset-password';
import { PublicPage } from '../../shell/public-page';

export const metadata = { title: 'New password' };

export default function ResetPasswordPage() {
  return (
    <PublicPage title="Set a new password" description="A new password ends all your sessions.">
      <ResetPassword />
    </PublicPage>
  );
}
