//! Each method of the protocol, and what serves it.
//!
//! The library makes one future of all these methods for each request, as large as the largest of
//! them, and moves it a dozen times. So what they do is on the heap.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestMethod,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};

use super::super::content;
use super::super::errors::Fault;
use super::super::transport::{refuse_method, refuse_modern_method};
use super::{Server, is_modern};

type Request = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.shared.config.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.catalog().tool(name).cloned()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Request,
    ) -> Answer<ListToolsResult> {
        // Every client lists its tools, and since 2026-07-28 nothing else begins a connection.
        if let Some(client) = context.client_info() {
            self.shared
                .agents()
                .uses(&self.shared.session, &client.name);
        }
        let work = Box::pin(async {
            content::only_page(request.as_ref())?;
            let tools = self.shared.catalog().tools().to_vec();
            Ok(ListToolsResult::with_all_items(tools))
        });
        self.observe(&context, "tools/list", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Request,
    ) -> Answer<CallToolResponse> {
        Box::pin(self.call(request, context)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Request,
    ) -> Answer<ListResourcesResult> {
        let work = Box::pin(async {
            content::only_page(request.as_ref())?;
            Ok(content::resources())
        });
        self.observe(&context, "resources/list", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Request,
    ) -> Answer<ListResourceTemplatesResult> {
        let work = Box::pin(async {
            content::only_page(request.as_ref())?;
            Ok(content::templates())
        });
        self.observe(&context, "resources/templates/list", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Request,
    ) -> Answer<ReadResourceResponse> {
        let ours = self.context(&context.meta);
        let work = Box::pin(content::resource(&ours, request.uri));
        match self.observe(&context, "resources/read", work).await {
            Ok(result) => Ok(result.into()),
            // Since 2026-07-28 the protocol itself fixes the code.
            Err(fault) if is_modern(&context) => Err(fault.into_invalid_params()),
            Err(fault) => Err(fault.into_error()),
        }
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Request) -> Answer<()> {
        let work = Box::pin(async { self.subscribe_connection(request.uri, &context) });
        self.observe(&context, "resources/subscribe", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Request) -> Answer<()> {
        let work = Box::pin(async {
            self.shared.hub.remove_topic(self.listener, &request.uri);
            Ok(())
        });
        self.observe(&context, "resources/unsubscribe", work)
            .await
            .map_err(Fault::into_error)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(self.accept(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Answer<()> {
        let work = Box::pin(self.listen_until_closed(&context));
        self.observe(context.request_context(), "subscriptions/listen", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Request,
    ) -> Answer<ListPromptsResult> {
        let ours = self.context(&context.meta);
        let work = Box::pin(async { content::prompts(&ours, request.as_ref()) });
        self.observe(&context, "prompts/list", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Request,
    ) -> Answer<GetPromptResponse> {
        let ours = self.context(&context.meta);
        let work = Box::pin(async { content::prompt(&ours, &request) });
        self.observe(&context, "prompts/get", work)
            .await
            .map(Into::into)
            .map_err(Fault::into_invalid_params)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Request,
    ) -> Answer<CompleteResult> {
        let ours = self.context(&context.meta);
        let work = Box::pin(async { content::completion(&ours, &request) });
        self.observe(&context, "completion/complete", work)
            .await
            .map_err(Fault::into_invalid_params)
    }

    async fn get_task(&self, request: GetTaskParams, context: Request) -> Answer<GetTaskResult> {
        let work = Box::pin(async {
            let task = self.shared.tasks.get_task(&request.task_id);
            task.map(GetTaskResult::new).map_err(Fault::Protocol)
        });
        self.observe(&context, "tasks/get", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Request) -> Answer<()> {
        let work = Box::pin(async {
            // Our tasks never ask for input, so there is none to accept.
            let updated = self.shared.tasks.update_task(&request.task_id, []);
            updated.map_err(Fault::Protocol)
        });
        self.observe(&context, "tasks/update", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Request) -> Answer<()> {
        let work = Box::pin(async {
            let cancelled = self.shared.tasks.cancel_task(&request.task_id);
            cancelled.map_err(Fault::Protocol)
        });
        self.observe(&context, "tasks/cancel", work)
            .await
            .map_err(Fault::into_error)
    }

    async fn set_level(&self, request: SetLevelRequestParams, context: Request) -> Answer<()> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.set_client_level(request.level);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.watch_tools(&context.peer);
        self.watch_prompts(context.peer);
    }

    /// Called for unknown methods, and for known ones whose parameters could not be read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Request,
    ) -> Answer<CustomResult> {
        let error = if is_modern(&context) {
            refuse_modern_method(&request.method)
        } else {
            refuse_method(&request.method)
        };
        tracing::warn!(
            target: super::super::LOG,
            id = %context.id,
            code = error.code.0,
            error = &*error.message,
            "refused"
        );
        Err(error)
    }
}
