/**
 * How a user joins an organisation by invitation and leaves a team: shared by single sign-on (`auth/`)
 * and by the resources `invitations` and `teams`.
 */
export { activeTeams, admitInvited, isOpen } from './admit-invited';
export { endMembership } from './end-membership';
