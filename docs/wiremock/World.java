import com.github.tomakehurst.wiremock.client.*;
import com.github.tomakehurst.wiremock.security.ClientBasicAuthenticator;
import java.net.URI;
import java.net.http.*;
import java.util.UUID;
import org.junit.jupiter.api.extension.*;

/** Gives each test a WireMock of its own, and the base URL of its mock. */
public class World implements ParameterResolver, AfterEachCallback {
  private static final String HOST = "127.0.0.1", MOCK = "base", KEY = System.getenv("SWITCHYARD_KEY");

  private static String idOf(ExtensionContext test) {
    return test.getStore(ExtensionContext.Namespace.create(World.class, test.getUniqueId()))
        .getOrComputeIfAbsent("id", key -> "w" + UUID.randomUUID().toString().substring(0, 8), String.class);
  }

  @Override public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    Class<?> type = parameter.getParameter().getType();
    return type == WireMock.class || type == URI.class;
  }

  @Override public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    String id = idOf(test);
    if (parameter.getParameter().getType() == URI.class)
      return URI.create("http://" + HOST + ":8081/__mock/" + MOCK + "/__session/" + id);
    return new WireMockBuilder().host(HOST).port(8080).urlPathPrefix("/compat/wiremock/" + MOCK + "/" + id)
        .authenticator(new ClientBasicAuthenticator("x", KEY)).build();
  }

  @Override public void afterEach(ExtensionContext test) throws Exception {
    URI session = URI.create("http://" + HOST + ":8080/v1/mocks/" + MOCK + "/sessions/" + idOf(test));
    HttpRequest end = HttpRequest.newBuilder(session).header("x-api-key", KEY).DELETE().build();
    HttpClient.newHttpClient().send(end, HttpResponse.BodyHandlers.discarding());
  }
}
