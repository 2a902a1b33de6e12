import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Allow as _tollgate_policy_v1_Allow, Allow__Output as _tollgate_policy_v1_Allow__Output } from './tollgate/policy/v1/Allow';
import type { Attempt as _tollgate_policy_v1_Attempt, Attempt__Output as _tollgate_policy_v1_Attempt__Output } from './tollgate/policy/v1/Attempt';
import type { AttemptReport as _tollgate_policy_v1_AttemptReport, AttemptReport__Output as _tollgate_policy_v1_AttemptReport__Output } from './tollgate/policy/v1/AttemptReport';
import type { AttemptTimeouts as _tollgate_policy_v1_AttemptTimeouts, AttemptTimeouts__Output as _tollgate_policy_v1_AttemptTimeouts__Output } from './tollgate/policy/v1/AttemptTimeouts';
import type { Attribution as _tollgate_policy_v1_Attribution, Attribution__Output as _tollgate_policy_v1_Attribution__Output } from './tollgate/policy/v1/Attribution';
import type { AuthorizeReply as _tollgate_policy_v1_AuthorizeReply, AuthorizeReply__Output as _tollgate_policy_v1_AuthorizeReply__Output } from './tollgate/policy/v1/AuthorizeReply';
import type { AuthorizeRequest as _tollgate_policy_v1_AuthorizeRequest, AuthorizeRequest__Output as _tollgate_policy_v1_AuthorizeRequest__Output } from './tollgate/policy/v1/AuthorizeRequest';
import type { BookedMark as _tollgate_policy_v1_BookedMark, BookedMark__Output as _tollgate_policy_v1_BookedMark__Output } from './tollgate/policy/v1/BookedMark';
import type { Candidate as _tollgate_policy_v1_Candidate, Candidate__Output as _tollgate_policy_v1_Candidate__Output } from './tollgate/policy/v1/Candidate';
import type { ClaimedAttribution as _tollgate_policy_v1_ClaimedAttribution, ClaimedAttribution__Output as _tollgate_policy_v1_ClaimedAttribution__Output } from './tollgate/policy/v1/ClaimedAttribution';
import type { ConfirmKeyReply as _tollgate_policy_v1_ConfirmKeyReply, ConfirmKeyReply__Output as _tollgate_policy_v1_ConfirmKeyReply__Output } from './tollgate/policy/v1/ConfirmKeyReply';
import type { ConfirmKeyRequest as _tollgate_policy_v1_ConfirmKeyRequest, ConfirmKeyRequest__Output as _tollgate_policy_v1_ConfirmKeyRequest__Output } from './tollgate/policy/v1/ConfirmKeyRequest';
import type { Denial as _tollgate_policy_v1_Denial, Denial__Output as _tollgate_policy_v1_Denial__Output } from './tollgate/policy/v1/Denial';
import type { DependencyHealth as _tollgate_policy_v1_DependencyHealth, DependencyHealth__Output as _tollgate_policy_v1_DependencyHealth__Output } from './tollgate/policy/v1/DependencyHealth';
import type { DryRunCheck as _tollgate_policy_v1_DryRunCheck, DryRunCheck__Output as _tollgate_policy_v1_DryRunCheck__Output } from './tollgate/policy/v1/DryRunCheck';
import type { DryRunHold as _tollgate_policy_v1_DryRunHold, DryRunHold__Output as _tollgate_policy_v1_DryRunHold__Output } from './tollgate/policy/v1/DryRunHold';
import type { DryRunLimit as _tollgate_policy_v1_DryRunLimit, DryRunLimit__Output as _tollgate_policy_v1_DryRunLimit__Output } from './tollgate/policy/v1/DryRunLimit';
import type { DryRunReply as _tollgate_policy_v1_DryRunReply, DryRunReply__Output as _tollgate_policy_v1_DryRunReply__Output } from './tollgate/policy/v1/DryRunReply';
import type { ExperimentArm as _tollgate_policy_v1_ExperimentArm, ExperimentArm__Output as _tollgate_policy_v1_ExperimentArm__Output } from './tollgate/policy/v1/ExperimentArm';
import type { ExtendReply as _tollgate_policy_v1_ExtendReply, ExtendReply__Output as _tollgate_policy_v1_ExtendReply__Output } from './tollgate/policy/v1/ExtendReply';
import type { ExtendRequest as _tollgate_policy_v1_ExtendRequest, ExtendRequest__Output as _tollgate_policy_v1_ExtendRequest__Output } from './tollgate/policy/v1/ExtendRequest';
import type { GrantedModel as _tollgate_policy_v1_GrantedModel, GrantedModel__Output as _tollgate_policy_v1_GrantedModel__Output } from './tollgate/policy/v1/GrantedModel';
import type { HealthReply as _tollgate_policy_v1_HealthReply, HealthReply__Output as _tollgate_policy_v1_HealthReply__Output } from './tollgate/policy/v1/HealthReply';
import type { HealthRequest as _tollgate_policy_v1_HealthRequest, HealthRequest__Output as _tollgate_policy_v1_HealthRequest__Output } from './tollgate/policy/v1/HealthRequest';
import type { InvalidateReply as _tollgate_policy_v1_InvalidateReply, InvalidateReply__Output as _tollgate_policy_v1_InvalidateReply__Output } from './tollgate/policy/v1/InvalidateReply';
import type { InvalidateRequest as _tollgate_policy_v1_InvalidateRequest, InvalidateRequest__Output as _tollgate_policy_v1_InvalidateRequest__Output } from './tollgate/policy/v1/InvalidateRequest';
import type { KeptBodies as _tollgate_policy_v1_KeptBodies, KeptBodies__Output as _tollgate_policy_v1_KeptBodies__Output } from './tollgate/policy/v1/KeptBodies';
import type { LeftOut as _tollgate_policy_v1_LeftOut, LeftOut__Output as _tollgate_policy_v1_LeftOut__Output } from './tollgate/policy/v1/LeftOut';
import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from './tollgate/policy/v1/LimitState';
import type { McpCall as _tollgate_policy_v1_McpCall, McpCall__Output as _tollgate_policy_v1_McpCall__Output } from './tollgate/policy/v1/McpCall';
import type { McpResult as _tollgate_policy_v1_McpResult, McpResult__Output as _tollgate_policy_v1_McpResult__Output } from './tollgate/policy/v1/McpResult';
import type { McpRules as _tollgate_policy_v1_McpRules, McpRules__Output as _tollgate_policy_v1_McpRules__Output } from './tollgate/policy/v1/McpRules';
import type { McpTarget as _tollgate_policy_v1_McpTarget, McpTarget__Output as _tollgate_policy_v1_McpTarget__Output } from './tollgate/policy/v1/McpTarget';
import type { McpToolPin as _tollgate_policy_v1_McpToolPin, McpToolPin__Output as _tollgate_policy_v1_McpToolPin__Output } from './tollgate/policy/v1/McpToolPin';
import type { NameRules as _tollgate_policy_v1_NameRules, NameRules__Output as _tollgate_policy_v1_NameRules__Output } from './tollgate/policy/v1/NameRules';
import type { PassthroughCall as _tollgate_policy_v1_PassthroughCall, PassthroughCall__Output as _tollgate_policy_v1_PassthroughCall__Output } from './tollgate/policy/v1/PassthroughCall';
import type { PassthroughRule as _tollgate_policy_v1_PassthroughRule, PassthroughRule__Output as _tollgate_policy_v1_PassthroughRule__Output } from './tollgate/policy/v1/PassthroughRule';
import type { PassthroughTarget as _tollgate_policy_v1_PassthroughTarget, PassthroughTarget__Output as _tollgate_policy_v1_PassthroughTarget__Output } from './tollgate/policy/v1/PassthroughTarget';
import type { PendingResponse as _tollgate_policy_v1_PendingResponse, PendingResponse__Output as _tollgate_policy_v1_PendingResponse__Output } from './tollgate/policy/v1/PendingResponse';
import type { PolicyServiceClient as _tollgate_policy_v1_PolicyServiceClient, PolicyServiceDefinition as _tollgate_policy_v1_PolicyServiceDefinition } from './tollgate/policy/v1/PolicyService';
import type { Price as _tollgate_policy_v1_Price, Price__Output as _tollgate_policy_v1_Price__Output } from './tollgate/policy/v1/Price';
import type { PriceStep as _tollgate_policy_v1_PriceStep, PriceStep__Output as _tollgate_policy_v1_PriceStep__Output } from './tollgate/policy/v1/PriceStep';
import type { RefusalReport as _tollgate_policy_v1_RefusalReport, RefusalReport__Output as _tollgate_policy_v1_RefusalReport__Output } from './tollgate/policy/v1/RefusalReport';
import type { ResponseCache as _tollgate_policy_v1_ResponseCache, ResponseCache__Output as _tollgate_policy_v1_ResponseCache__Output } from './tollgate/policy/v1/ResponseCache';
import type { Retirement as _tollgate_policy_v1_Retirement, Retirement__Output as _tollgate_policy_v1_Retirement__Output } from './tollgate/policy/v1/Retirement';
import type { Routing as _tollgate_policy_v1_Routing, Routing__Output as _tollgate_policy_v1_Routing__Output } from './tollgate/policy/v1/Routing';
import type { ScreeningRef as _tollgate_policy_v1_ScreeningRef, ScreeningRef__Output as _tollgate_policy_v1_ScreeningRef__Output } from './tollgate/policy/v1/ScreeningRef';
import type { ServerTool as _tollgate_policy_v1_ServerTool, ServerTool__Output as _tollgate_policy_v1_ServerTool__Output } from './tollgate/policy/v1/ServerTool';
import type { ServiceTier as _tollgate_policy_v1_ServiceTier, ServiceTier__Output as _tollgate_policy_v1_ServiceTier__Output } from './tollgate/policy/v1/ServiceTier';
import type { SessionFailure as _tollgate_policy_v1_SessionFailure, SessionFailure__Output as _tollgate_policy_v1_SessionFailure__Output } from './tollgate/policy/v1/SessionFailure';
import type { SessionItem as _tollgate_policy_v1_SessionItem, SessionItem__Output as _tollgate_policy_v1_SessionItem__Output } from './tollgate/policy/v1/SessionItem';
import type { SessionReply as _tollgate_policy_v1_SessionReply, SessionReply__Output as _tollgate_policy_v1_SessionReply__Output } from './tollgate/policy/v1/SessionReply';
import type { SessionRequest as _tollgate_policy_v1_SessionRequest, SessionRequest__Output as _tollgate_policy_v1_SessionRequest__Output } from './tollgate/policy/v1/SessionRequest';
import type { SessionResult as _tollgate_policy_v1_SessionResult, SessionResult__Output as _tollgate_policy_v1_SessionResult__Output } from './tollgate/policy/v1/SessionResult';
import type { SettleReply as _tollgate_policy_v1_SettleReply, SettleReply__Output as _tollgate_policy_v1_SettleReply__Output } from './tollgate/policy/v1/SettleReply';
import type { SettleRequest as _tollgate_policy_v1_SettleRequest, SettleRequest__Output as _tollgate_policy_v1_SettleRequest__Output } from './tollgate/policy/v1/SettleRequest';
import type { Shadow as _tollgate_policy_v1_Shadow, Shadow__Output as _tollgate_policy_v1_Shadow__Output } from './tollgate/policy/v1/Shadow';
import type { SharedPart as _tollgate_policy_v1_SharedPart, SharedPart__Output as _tollgate_policy_v1_SharedPart__Output } from './tollgate/policy/v1/SharedPart';
import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from './tollgate/policy/v1/Subject';
import type { TokenUsage as _tollgate_policy_v1_TokenUsage, TokenUsage__Output as _tollgate_policy_v1_TokenUsage__Output } from './tollgate/policy/v1/TokenUsage';
import type { ValidateKeyReply as _tollgate_policy_v1_ValidateKeyReply, ValidateKeyReply__Output as _tollgate_policy_v1_ValidateKeyReply__Output } from './tollgate/policy/v1/ValidateKeyReply';
import type { ValidateKeyRequest as _tollgate_policy_v1_ValidateKeyRequest, ValidateKeyRequest__Output as _tollgate_policy_v1_ValidateKeyRequest__Output } from './tollgate/policy/v1/ValidateKeyRequest';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  tollgate: {
    policy: {
      v1: {
        Allow: MessageTypeDefinition<_tollgate_policy_v1_Allow, _tollgate_policy_v1_Allow__Output>
        Attempt: MessageTypeDefinition<_tollgate_policy_v1_Attempt, _tollgate_policy_v1_Attempt__Output>
        AttemptReport: MessageTypeDefinition<_tollgate_policy_v1_AttemptReport, _tollgate_policy_v1_AttemptReport__Output>
        AttemptTimeouts: MessageTypeDefinition<_tollgate_policy_v1_AttemptTimeouts, _tollgate_policy_v1_AttemptTimeouts__Output>
        Attribution: MessageTypeDefinition<_tollgate_policy_v1_Attribution, _tollgate_policy_v1_Attribution__Output>
        AuthorizeReply: MessageTypeDefinition<_tollgate_policy_v1_AuthorizeReply, _tollgate_policy_v1_AuthorizeReply__Output>
        AuthorizeRequest: MessageTypeDefinition<_tollgate_policy_v1_AuthorizeRequest, _tollgate_policy_v1_AuthorizeRequest__Output>
        BookedMark: MessageTypeDefinition<_tollgate_policy_v1_BookedMark, _tollgate_policy_v1_BookedMark__Output>
        Candidate: MessageTypeDefinition<_tollgate_policy_v1_Candidate, _tollgate_policy_v1_Candidate__Output>
        ClaimedAttribution: MessageTypeDefinition<_tollgate_policy_v1_ClaimedAttribution, _tollgate_policy_v1_ClaimedAttribution__Output>
        ConfirmKeyReply: MessageTypeDefinition<_tollgate_policy_v1_ConfirmKeyReply, _tollgate_policy_v1_ConfirmKeyReply__Output>
        ConfirmKeyRequest: MessageTypeDefinition<_tollgate_policy_v1_ConfirmKeyRequest, _tollgate_policy_v1_ConfirmKeyRequest__Output>
        Denial: MessageTypeDefinition<_tollgate_policy_v1_Denial, _tollgate_policy_v1_Denial__Output>
        DependencyHealth: MessageTypeDefinition<_tollgate_policy_v1_DependencyHealth, _tollgate_policy_v1_DependencyHealth__Output>
        DryRunCheck: MessageTypeDefinition<_tollgate_policy_v1_DryRunCheck, _tollgate_policy_v1_DryRunCheck__Output>
        DryRunHold: MessageTypeDefinition<_tollgate_policy_v1_DryRunHold, _tollgate_policy_v1_DryRunHold__Output>
        DryRunLimit: MessageTypeDefinition<_tollgate_policy_v1_DryRunLimit, _tollgate_policy_v1_DryRunLimit__Output>
        DryRunReply: MessageTypeDefinition<_tollgate_policy_v1_DryRunReply, _tollgate_policy_v1_DryRunReply__Output>
        ExperimentArm: MessageTypeDefinition<_tollgate_policy_v1_ExperimentArm, _tollgate_policy_v1_ExperimentArm__Output>
        ExtendReply: MessageTypeDefinition<_tollgate_policy_v1_ExtendReply, _tollgate_policy_v1_ExtendReply__Output>
        ExtendRequest: MessageTypeDefinition<_tollgate_policy_v1_ExtendRequest, _tollgate_policy_v1_ExtendRequest__Output>
        GrantedModel: MessageTypeDefinition<_tollgate_policy_v1_GrantedModel, _tollgate_policy_v1_GrantedModel__Output>
        HealthReply: MessageTypeDefinition<_tollgate_policy_v1_HealthReply, _tollgate_policy_v1_HealthReply__Output>
        HealthRequest: MessageTypeDefinition<_tollgate_policy_v1_HealthRequest, _tollgate_policy_v1_HealthRequest__Output>
        InvalidateReply: MessageTypeDefinition<_tollgate_policy_v1_InvalidateReply, _tollgate_policy_v1_InvalidateReply__Output>
        InvalidateRequest: MessageTypeDefinition<_tollgate_policy_v1_InvalidateRequest, _tollgate_policy_v1_InvalidateRequest__Output>
        KeptBodies: MessageTypeDefinition<_tollgate_policy_v1_KeptBodies, _tollgate_policy_v1_KeptBodies__Output>
        LeftOut: MessageTypeDefinition<_tollgate_policy_v1_LeftOut, _tollgate_policy_v1_LeftOut__Output>
        LimitState: MessageTypeDefinition<_tollgate_policy_v1_LimitState, _tollgate_policy_v1_LimitState__Output>
        McpCall: MessageTypeDefinition<_tollgate_policy_v1_McpCall, _tollgate_policy_v1_McpCall__Output>
        McpResult: MessageTypeDefinition<_tollgate_policy_v1_McpResult, _tollgate_policy_v1_McpResult__Output>
        McpRules: MessageTypeDefinition<_tollgate_policy_v1_McpRules, _tollgate_policy_v1_McpRules__Output>
        McpTarget: MessageTypeDefinition<_tollgate_policy_v1_McpTarget, _tollgate_policy_v1_McpTarget__Output>
        McpToolPin: MessageTypeDefinition<_tollgate_policy_v1_McpToolPin, _tollgate_policy_v1_McpToolPin__Output>
        NameRules: MessageTypeDefinition<_tollgate_policy_v1_NameRules, _tollgate_policy_v1_NameRules__Output>
        PassthroughCall: MessageTypeDefinition<_tollgate_policy_v1_PassthroughCall, _tollgate_policy_v1_PassthroughCall__Output>
        PassthroughRule: MessageTypeDefinition<_tollgate_policy_v1_PassthroughRule, _tollgate_policy_v1_PassthroughRule__Output>
        PassthroughTarget: MessageTypeDefinition<_tollgate_policy_v1_PassthroughTarget, _tollgate_policy_v1_PassthroughTarget__Output>
        PendingResponse: MessageTypeDefinition<_tollgate_policy_v1_PendingResponse, _tollgate_policy_v1_PendingResponse__Output>
        /**
         * Decisions about requests: may this key make this call, what is held for it, and what did it cost.
         * Any internal service may call the unary methods; the edge uses Session, which carries the same messages
         * in batches.
         * 
         * A refusal is data (`Denial`). A gRPC error means that the service or a dependency is broken:
         * UNAVAILABLE (a dependency is unreachable), DEADLINE_EXCEEDED, UNAUTHENTICATED (no service
         * token), PERMISSION_DENIED (this token may not call this method), INVALID_ARGUMENT (the message
         * names the field), RESOURCE_EXHAUSTED (the ledger buffer is full). The trailer
         * `tollgate-dependency` of an error names the broken part: redis, catalog or policy.
         */
        PolicyService: SubtypeConstructor<typeof grpc.Client, _tollgate_policy_v1_PolicyServiceClient> & { service: _tollgate_policy_v1_PolicyServiceDefinition }
        Price: MessageTypeDefinition<_tollgate_policy_v1_Price, _tollgate_policy_v1_Price__Output>
        PriceStep: MessageTypeDefinition<_tollgate_policy_v1_PriceStep, _tollgate_policy_v1_PriceStep__Output>
        RefusalReport: MessageTypeDefinition<_tollgate_policy_v1_RefusalReport, _tollgate_policy_v1_RefusalReport__Output>
        ResponseCache: MessageTypeDefinition<_tollgate_policy_v1_ResponseCache, _tollgate_policy_v1_ResponseCache__Output>
        Retirement: MessageTypeDefinition<_tollgate_policy_v1_Retirement, _tollgate_policy_v1_Retirement__Output>
        Routing: MessageTypeDefinition<_tollgate_policy_v1_Routing, _tollgate_policy_v1_Routing__Output>
        ScreeningRef: MessageTypeDefinition<_tollgate_policy_v1_ScreeningRef, _tollgate_policy_v1_ScreeningRef__Output>
        ServerTool: MessageTypeDefinition<_tollgate_policy_v1_ServerTool, _tollgate_policy_v1_ServerTool__Output>
        ServiceTier: MessageTypeDefinition<_tollgate_policy_v1_ServiceTier, _tollgate_policy_v1_ServiceTier__Output>
        SessionFailure: MessageTypeDefinition<_tollgate_policy_v1_SessionFailure, _tollgate_policy_v1_SessionFailure__Output>
        SessionItem: MessageTypeDefinition<_tollgate_policy_v1_SessionItem, _tollgate_policy_v1_SessionItem__Output>
        SessionReply: MessageTypeDefinition<_tollgate_policy_v1_SessionReply, _tollgate_policy_v1_SessionReply__Output>
        SessionRequest: MessageTypeDefinition<_tollgate_policy_v1_SessionRequest, _tollgate_policy_v1_SessionRequest__Output>
        SessionResult: MessageTypeDefinition<_tollgate_policy_v1_SessionResult, _tollgate_policy_v1_SessionResult__Output>
        SettleReply: MessageTypeDefinition<_tollgate_policy_v1_SettleReply, _tollgate_policy_v1_SettleReply__Output>
        SettleRequest: MessageTypeDefinition<_tollgate_policy_v1_SettleRequest, _tollgate_policy_v1_SettleRequest__Output>
        Shadow: MessageTypeDefinition<_tollgate_policy_v1_Shadow, _tollgate_policy_v1_Shadow__Output>
        SharedPart: MessageTypeDefinition<_tollgate_policy_v1_SharedPart, _tollgate_policy_v1_SharedPart__Output>
        Subject: MessageTypeDefinition<_tollgate_policy_v1_Subject, _tollgate_policy_v1_Subject__Output>
        TokenUsage: MessageTypeDefinition<_tollgate_policy_v1_TokenUsage, _tollgate_policy_v1_TokenUsage__Output>
        ValidateKeyReply: MessageTypeDefinition<_tollgate_policy_v1_ValidateKeyReply, _tollgate_policy_v1_ValidateKeyReply__Output>
        ValidateKeyRequest: MessageTypeDefinition<_tollgate_policy_v1_ValidateKeyRequest, _tollgate_policy_v1_ValidateKeyRequest__Output>
      }
    }
  }
}

