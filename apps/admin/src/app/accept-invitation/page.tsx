import { AcceptInvitation } from '../../features/invitations/accept-invitation';
import { PublicPage } from '../../shell/public-page';

export const metadata = { title: 'Invitation' };

export default function AcceptInvitationPage() {
  return (
    <PublicPage title="You are invited" description="Join your organisation at its LLM gateway.">
      <AcceptInvitation />
    </PublicPage>
  );
}
