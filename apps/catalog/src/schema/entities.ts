import { AuditEvent } from '../audit/audit-event.entity';
import { PasswordReset } from '../auth/password-reset.entity';
import { RefreshToken } from '../auth/refresh-token.entity';
import { SignInThrottle } from '../auth/sign-in-throttle.entity';
import { UserIdentity } from '../auth/user-identity.entity';
import { KeptBodyDay } from '../bodies/kept-body-day.entity';
import { KeptBody } from '../bodies/kept-body.entity';
import { AlertDelivery } from '../entities/alert-delivery.entity';
import { AlertDestination } from '../entities/alert-destination.entity';
import { AlertEvaluation } from '../entities/alert-evaluation.entity';
import { AlertRuleDestination } from '../entities/alert-rule-destination.entity';
import { AlertRule } from '../entities/alert-rule.entity';
import { AlertToldValues } from '../entities/alert-told-values.entity';
import { Alert } from '../entities/alert.entity';
import { ApiKey } from '../entities/api-key.entity';
import { Budget } from '../entities/budget.entity';
import { Experiment } from '../entities/experiment.entity';
import { MailOutbox } from '../entities/mail-outbox.entity';
import { McpServer } from '../entities/mcp-server.entity';
import { McpSignIn } from '../entities/mcp-sign-in.entity';
import { ModelAlias } from '../entities/model-alias.entity';
import { Model } from '../entities/model.entity';
import { OrganisationInvitation } from '../entities/organisation-invitation.entity';
import { Organisation } from '../entities/organisation.entity';
import { Price } from '../entities/price.entity';
import { ProviderApiKey } from '../entities/provider-api-key.entity';
import { ProviderConnection } from '../entities/provider-connection.entity';
import { Provider } from '../entities/provider.entity';
import { Quota } from '../entities/quota.entity';
import { RateLimit } from '../entities/rate-limit.entity';
import { RoutingPolicy } from '../entities/routing-policy.entity';
import { ScreeningPolicyVersion } from '../entities/screening-policy-version.entity';
import { ScreeningPolicy } from '../entities/screening-policy.entity';
import { ScreeningService } from '../entities/screening-service.entity';
import { TeamMember } from '../entities/team-member.entity';
import { Team } from '../entities/team.entity';
import { User } from '../entities/user.entity';
import { ExportBatch } from '../exports/export-batch.entity';
import { ExportCursor } from '../exports/export-cursor.entity';
import { ExportDestination } from '../exports/export-destination.entity';
import { LedgerQuarantine } from '../ledger/append/ledger-quarantine.entity';
import { BudgetRequest } from '../ledger/holds/budget-request.entity';
import { BudgetReservation } from '../ledger/holds/budget-reservation.entity';
import { QuotaReservation } from '../ledger/holds/quota-reservation.entity';
import { UsageRerate } from '../ledger/re-rating/usage-rerate.entity';
import { LedgerShard } from '../ledger/records/ledger-shard.entity';
import { McpUsageRecord } from '../ledger/records/mcp-usage-record.entity';
import { UsageAdjustment } from '../ledger/records/usage-adjustment.entity';
import { UsageRecord } from '../ledger/records/usage-record.entity';
import { ApiKeyRefusal } from '../ledger/reports/api-key-refusal.entity';
import { RefusedRequest } from '../ledger/reports/refused-request.entity';
import { RequestDecisionDay } from '../ledger/reports/request-decision-day.entity';
import { RequestDecision } from '../ledger/reports/request-decision.entity';
import { ShadowSkip } from '../ledger/reports/shadow-skip.entity';
import { SoftLimitEvent } from '../ledger/reports/soft-limit-event.entity';
import { UpstreamStateRow } from '../ledger/reports/upstream-state.entity';
import { UsageRemoved } from '../ledger/retention/usage-removed.entity';
import { UsagePeriod } from '../ledger/rollups/usage-period.entity';
import { Usage } from '../ledger/rollups/usage.entity';
import { BudgetWindow } from '../ledger/windows/budget-window.entity';
import { QuotaWindow } from '../ledger/windows/quota-window.entity';
import { ValueWindow } from '../ledger/windows/value-window.entity';
import { OutboxEvent } from '../outbox/outbox-event.entity';
import { ApiKeyMcpAccess } from '../resources/apikeys/api-key-mcp-access.entity';
import { ApiKeyModelAccess } from '../resources/apikeys/api-key-model-access.entity';
import { ApiKeyModelGrant } from '../resources/apikeys/api-key-model-grant.entity';
import { InvoiceLine } from '../resources/invoices/invoice-line.entity';
import { InvoiceSequence } from '../resources/invoices/invoice-sequence.entity';
import { Invoice } from '../resources/invoices/invoice.entity';
import { PriceCorrection } from '../resources/price-corrections/price-correction.entity';
import { UsageView } from '../resources/usage-views/usage-view.entity';
import { IdempotencyKey } from '../rest/idempotency-key.entity';

/** Every table of the catalog. */
export const entities = [
  Alert,
  AlertDelivery,
  AlertDestination,
  AlertEvaluation,
  AlertRule,
  AlertRuleDestination,
  AlertToldValues,
  ApiKey,
  ApiKeyMcpAccess,
  ApiKeyModelAccess,
  ApiKeyModelGrant,
  ApiKeyRefusal,
  ShadowSkip,
  RefusedRequest,
  RequestDecision,
  RequestDecisionDay,
  AuditEvent,
  Budget,
  BudgetRequest,
  BudgetReservation,
  BudgetWindow,
  ExportBatch,
  ExportCursor,
  ExportDestination,
  IdempotencyKey,
  Invoice,
  InvoiceLine,
  InvoiceSequence,
  KeptBody,
  KeptBodyDay,
  LedgerQuarantine,
  LedgerShard,
  MailOutbox,
  McpServer,
  McpSignIn,
  McpUsageRecord,
  Model,
  ModelAlias,
  Experiment,
  Organisation,
  OrganisationInvitation,
  OutboxEvent,
  PasswordReset,
  Price,
  Provider,
  ProviderApiKey,
  ProviderConnection,
  Quota,
  QuotaReservation,
  QuotaWindow,
  RateLimit,
  RefreshToken,
  RoutingPolicy,
  ScreeningPolicy,
  ScreeningPolicyVersion,
  ScreeningService,
  SignInThrottle,
  SoftLimitEvent,
  Team,
  TeamMember,
  Usage,
  UpstreamStateRow,
  UsageAdjustment,
  UsagePeriod,
  UsageView,
  PriceCorrection,
  UsageRecord,
  UsageRemoved,
  UsageRerate,
  User,
  UserIdentity,
  ValueWindow,
];
