# Writes a line to LiteLLM's log for each completion it begins; its own lines come at the end, and only for answers.
from litellm.integrations.custom_logger import CustomLogger


class Starts(CustomLogger):
    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        print(f"start: {data.get('model')}", flush=True)


log = Starts()
